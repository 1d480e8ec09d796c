/** How payrolls and lists of collections are read, kept under a name. */
import { type MapShelf, sheetOptionsOf } from '../../sheet/saved-maps.js';

export const ROW_SHELF: MapShelf = {
  folder: 'batch-maps',
  undone: 'Nothing was sent.',
  example: 'reference=Ref,amount=Importe',
  // What a member means depends on the direction: that is said when the map is used.
  optionsOf: sheetOptionsOf,
};
