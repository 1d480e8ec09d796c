/** Where a reader of the feed stands: behind a cursor, and behind some events of the page that follows it. */

export interface Position {
  /** Null: the start of the feed. */
  readonly cursor: string | null;
  /** The events behind the cursor that were accepted already, in feed order. */
  readonly ids: readonly string[];
}

export const START: Position = { cursor: null, ids: [] };
