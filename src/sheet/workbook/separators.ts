/** What keeps the parts of a sheet's text apart: characters that XML can't hold, so that no cell has one. */

/** Between the cells of a row. */
export const UNIT = '\u001f';
/** Behind each row. */
export const RECORD = '\u001e';
/** What begins a record that is no row: cells that are merged. */
export const MERGED = 'm';
