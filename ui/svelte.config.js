// Runes everywhere; styles go to files, because the content security policy forbids injected ones.
export default {
    compilerOptions: { runes: true, css: 'external' },
};
