import '../src/i18n/words-annotate';
import '../src/i18n/words-browser';
import '../src/i18n/words-conversation';
import '../src/i18n/words-diff';
import '../src/i18n/words-doctor';
import '../src/i18n/words-find';
import '../src/i18n/words-history';
import '../src/i18n/words-inbox';
import '../src/i18n/words-main';
import '../src/i18n/words-sessions';
import '../src/i18n/words-settings';
import '../src/i18n/words-voice';

// A test of logic alone runs without a page, and needn't wait for one.
if (typeof document !== 'undefined') await import('./setup-page');
