// Which window an address is of. Apart from the pages, since the review window needs none of them.

/** Whether it is the main window's; all others are the review window's. */
export const isMainWindow = (hash: string): boolean => /^#?main(\/|$)/.test(hash);
