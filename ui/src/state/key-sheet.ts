// What the sheet of keys says, for each window.
import { apple, keyNames } from './keys';

export interface KeyGroup {
  name: string;
  /** Keys, and what they do. */
  keys: readonly [readonly string[], string][];
}

const command = apple ? '⌘' : 'Ctrl';

export const reviewKeys: readonly KeyGroup[] = [
  {
    name: 'Answer',
    keys: [
      [[keyNames.approve], 'Approve'],
      [[keyNames.requestChanges], 'Request changes'],
      [[keyNames.reply], 'Reply; never approves'],
      [['Esc'], 'Later: answers nothing'],
    ],
  },
  {
    name: 'While you aren’t typing',
    keys: [
      [['1', '…', '9', '0'], 'Choose an option'],
      [['R'], 'Write a reply'],
      [['J', 'K'], 'Next, previous request'],
      [['L'], 'All waiting requests'],
      [['Ctrl H'], 'History of this conversation'],
      [['?'], 'This sheet'],
    ],
  },
  {
    name: 'In the changes',
    keys: [
      [['↑', '↓'], 'Move between lines'],
      [['⏎'], 'Comment on the line'],
      [['Esc'], 'Finish the comment'],
    ],
  },
];

export const mainKeys: readonly KeyGroup[] = [
  {
    name: 'Pages',
    keys: [
      [[`${command} 1`], 'Sessions'],
      [[`${command} 2`], 'History'],
      [['/'], 'Search the history'],
      [[`${command} R`], 'What waits for you'],
      [[`${command} W`], 'Close the window'],
    ],
  },
  {
    name: 'In a list',
    keys: [
      [['↑', '↓'], 'Previous, next; also K and J'],
      [['PgUp', 'PgDn'], 'A page up, down'],
      [['Home', 'End'], 'First, last'],
      [['⏎'], 'Read the conversation'],
      [['Esc'], 'Back to the list, to the search'],
    ],
  },
];
