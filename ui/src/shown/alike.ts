// Letters of other scripts that look like Latin ones within a word of Latin: the mixed-script rule of Unicode TS 39
// (section 5.1), for the letters that `confusables.txt` gives a single Latin letter. A word all of one script is honest,
// and so is Latin beside Chinese, Japanese or Korean. Pure.

/** How their names in Unicode begin; of each the letter, the one that it looks like, and how its name goes on. */
const ALIKE = `
CYRILLIC SMALL LETTER: а a A, е e IE, о o O, р p ER, с c ES, у y U, х x HA, ѕ s DZE,
  і i BYELORUSSIAN-UKRAINIAN I, ї ï YI, ј j JE, ё ë IO, һ h SHHA, ԁ d KOMI DE, ԛ q QA, ԝ w WE,
  ѵ v IZHITSA, ү y STRAIGHT U, г r GHE, ӏ l PALOCHKA;
CYRILLIC CAPITAL LETTER: А A A, В B VE, Е E IE, К K KA, М M EM, Н H EN, О O O, Р P ER, С C ES, Т T TE,
  У Y U, Х X HA, Ѕ S DZE, І I BYELORUSSIAN-UKRAINIAN I, Ї Ï YI, Ј J JE, Ё Ë IO, Ԛ Q QA, Ԝ W WE,
  Ѵ V IZHITSA, Ү Y STRAIGHT U, Ԍ G KOMI SJE, Ь b SOFT SIGN, З 3 ZE;
CYRILLIC LETTER: Ӏ l PALOCHKA;
GREEK SMALL LETTER: α a ALPHA, γ y GAMMA, ι i IOTA, ν v NU, ο o OMICRON, ρ p RHO, σ o SIGMA, υ u UPSILON;
GREEK CAPITAL LETTER: Α A ALPHA, Β B BETA, Ε E EPSILON, Ζ Z ZETA, Η H ETA, Ι I IOTA, Κ K KAPPA, Μ M MU,
  Ν N NU, Ο O OMICRON, Ρ P RHO, Τ T TAU, Υ Y UPSILON, Χ X CHI;
GREEK: ϲ c LUNATE SIGMA SYMBOL, ϳ j LETTER YOT;
ARMENIAN SMALL LETTER: օ o OH, ս u SEH, ո n VO, հ h HO, ց g CO, զ q ZA, յ j YI;
ARMENIAN CAPITAL LETTER: Օ O OH, Տ S TIWN, Ս U SEH, Լ L LIWN`;

/** A letter that looks like another. */
export interface Alike {
  /** The other one; empty for a letter of a script many of whose letters look like Latin ones. */
  like: string;
  /** What Unicode calls it; empty where that isn't known here. */
  name: string;
}

const letters = new Map<string, Alike>();
for (const script of ALIKE.trim().split(';')) {
  const [begin = '', rows = ''] = script.trim().split(':');
  for (const row of rows.split(',')) {
    const [letter = '', like = '', ...name] = row.trim().split(/\s+/);
    letters.set(letter, { like, name: [begin, ...name].join(' ') });
  }
}

/** Scripts that hardly anybody writes now, many of whose letters look like Latin ones. */
const STRANGE =
  /[\p{Script=Cherokee}\p{Script=Lisu}\p{Script=Coptic}\p{Script=Deseret}\p{Script=Osage}\p{Script=Warang_Citi}]/u;
/** Latin letters in other clothes: of full width, of mathematics, a long s. */
const DRESSED = /[\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7CB}\u212A\u2113\u017F]/u;
/** A word; Chinese, Japanese and Korean ones stand beside it without a blank. */
const WORD =
  /(?:(?![\p{Ideographic}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC])[\p{L}\p{M}\p{N}_])+/gu;
const LATIN = /[A-Za-z\u00C0-\u017E\u0180-\u024F]/;

/** Which letter a letter in a word of Latin looks like; null for one that is what it seems. */
function alike(letter: string): Alike | null {
  const known = letters.get(letter);
  if (known) return known;
  if (!DRESSED.test(letter)) return STRANGE.test(letter) ? { like: '', name: '' } : null;
  const like = letter.normalize('NFKC');
  const size = like === like.toUpperCase() ? 'CAPITAL' : 'SMALL';
  const wide = /[\uFF21-\uFF5A]/.test(letter);
  return { like, name: wide ? ['FULLWIDTH', 'LATIN', size, 'LETTER', like.toUpperCase()].join(' ') : '' };
}

/** Where such letters stand in a text: each with its place, in UTF-16 units. */
export function* alikeIn(text: string): Generator<Alike & { start: number; letter: string }> {
  for (const word of text.matchAll(WORD)) {
    if (/^[\w\u00C0-\u017E]+$/.test(word[0]) || !LATIN.test(word[0])) continue;
    let start = word.index;
    for (const letter of word[0]) {
      const found = alike(letter);
      if (found) yield { ...found, start, letter };
      start += letter.length;
    }
  }
}
