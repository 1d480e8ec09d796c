/** What a row of the table of body fields says (`body-fields.ts`). Plain data. */
import type { Direction, Method } from './operation.js';
import type { Optional, Shape } from './shape.js';

/** What stands for the value of a flag in a page of help. */
interface Named {
  readonly value: string;
  readonly takes?: never;
}

/** What a shell completes the value of a flag to; that has its name in help. */
interface Completed {
  readonly takes: 'country' | 'currency' | 'method' | 'payin-field' | 'payout-field';
  readonly value?: never;
}

/** `T` is what stands there in a body. */
interface Row<Holds extends string, T> {
  /** What it may hold, and whether it may be absent. */
  readonly shape: Shape<T> | Optional<T>;
  /** How it is given: as one text, one whole number, parts with names of their own, or anything under any names. */
  readonly holds: Holds;
  /** Which creates take it. */
  readonly of: Direction | 'both';
  /** The methods that take it, where not all of them do. */
  readonly methods?: readonly Method[];
  /** Its place in a body that is made of columns. A number that is here never changes: the bytes of a row would. */
  readonly place: number;
  /** Its flag on the command line, called like it, with dashes. */
  readonly flag: { readonly summary: string } & (Named | Completed);
  /** Where a batch has the flag too, for the rows that say nothing themselves: its summary there. */
  readonly ofAllRows?: Holds extends 'text' ? string : never;
  /**
   * Where the operation has it as it was sent: its label, null for an object, which is shown by its members, and what stands there
   * if it was not sent. Amount, country, currency and method have a form of their own in an operation.
   */
  readonly echo?: { readonly label: Holds extends 'text' | 'number' ? string : null; readonly otherwise?: T };
}

export type BodyField =
  | Row<'text', string>
  | Row<'number', number>
  | Row<'parts', object>
  | Row<'anything', Record<string, unknown>>;
