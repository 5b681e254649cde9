// The views of the page Reviews that the tests look at, and of what it asks in the inbox.
import type { View } from './browser';

export const REVIEWS: readonly View[] = [
  {
    ...{ name: 'reviews', scene: 'reviews', page: 'reviews', width: 1440, height: 900 },
    until: '[data-testid=diff]',
  },
  {
    ...{ name: 'reviews-whole', scene: 'reviews', page: 'reviews', width: 1440, height: 3100 },
    until: '[data-testid=diff]',
    more: { click: '[data-testid=patch-fold];[data-testid=review-runs-fold]' },
    anew: true,
  },
  {
    ...{ name: 'reviews-narrow', scene: 'reviews', page: 'reviews', width: 620, height: 900 },
    keys: ['Enter'],
  },
  {
    ...{ name: 'reviews-smallest', scene: 'reviews', page: 'reviews', width: 760, height: 520 },
    more: { size: '24' },
    keys: ['Enter'],
  },
  {
    ...{ name: 'reviews-decided', scene: 'reviews', page: 'reviews', height: 1000 },
    more: { click: '[data-testid=reviews-decided];[data-review=review-types]' },
    until: '[data-testid=review-verdict]',
  },
  {
    ...{ name: 'reviews-differs', scene: 'reviews', page: 'reviews', width: 1100, height: 900 },
    more: { click: '[data-testid=reviews-decided];[data-review=review-differs]' },
    until: '[data-testid=review-applied]',
  },
  {
    ...{ name: 'reviews-comment', scene: 'reviews', page: 'reviews', width: 1440, height: 1600, anew: true },
    until: '[data-testid=diff]',
    more: { click: '[data-testid=comment-add];[data-testid=review-end]' },
  },
  {
    ...{ name: 'reviews-deciding', scene: 'reviews-deciding', page: 'reviews', width: 1440, height: 900 },
    until: '[data-testid=review-take-back]',
  },
  {
    ...{ name: 'reviews-odd', scene: 'reviews-odd', page: 'reviews', width: 1440, height: 2600 },
    until: '[data-testid=diff]',
    more: { click: '[data-testid=review-overlaps-more]' },
  },
  {
    ...{ name: 'reviews-labels', scene: 'reviews-odd', page: 'reviews', width: 900, height: 700 },
    more: { click: '[data-testid=review-labels-more]' },
    keys: ['Enter'],
  },
  {
    ...{
      name: 'reviews-late',
      scene: 'reviews-late',
      page: 'reviews',
      width: 1440,
      height: 2900,
      anew: true,
    },
    more: { click: '[data-testid=comment-add];[data-testid=patch-fold]' },
    until: '[data-testid=review-draft-late]',
    keys: [...'Why?', 'Tab'],
  },
  { name: 'reviews-many', scene: 'reviews-many', page: 'reviews', keys: ['End'], anew: true },
  { name: 'reviews-empty', scene: 'empty', page: 'reviews', height: 900 },
  {
    ...{ name: 'reviews-asked', scene: 'reviews', page: 'inbox', width: 1440 },
    until: '[data-testid=round]',
  },
];
