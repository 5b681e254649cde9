// What the words of a link don't say of where it goes. Pure.
import { destination } from './links';

/** Text that is an address: its scheme, the place with how that ends, and what follows. */
const ADDRESS = /^(https?:\/\/)?(?:www\.)?([^\s/?#]+\.([a-z]{2,}))((?::\d+)?(?:[/?#]\S*)?)$/;
/** How places end that are written without a scheme; other words with a dot are mostly names of files. */
const ENDINGS = /^(?:com|org|net|io|dev|app|ai|gov|edu|info|cn|de|eu|uk)$/;

/**
 * The part of a link's destination that its words don't say; null for none. `other`: the words are an address, and the
 * link goes to another one.
 */
export function unsaid(href: string, words: string): { where: string; other: boolean } | null {
  const where = destination(href);
  if (where === null) return null;
  const bare = (text: string) => text.trim().toLowerCase().replace(/\/$/, '');
  const said = bare(words);
  if (said === where || said === bare(href).replace(/^mailto:/, '')) return null;
  const [, scheme, place, ending = '', rest] = ADDRESS.exec(said) ?? [];
  if (place === undefined || !(scheme || ENDINGS.test(ending) || where.endsWith(`.${ending}`)))
    return { where, other: false };
  if (bare(href).replace(ADDRESS, '$2$4') === `${place}${rest}`) return null;
  return { where: place === where.replace(/^www\./, '') ? href : where, other: true };
}
