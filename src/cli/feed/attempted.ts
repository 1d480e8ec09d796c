/** An attempt to hand an event over, for whoever counts them or writes them down. */

export interface Attempted {
  readonly eventId: string;
  /** The first of an event is number 1. */
  readonly attempt: number;
  readonly ms: number;
  readonly isAccepted: boolean;
}

/** Told of each attempt as it ends; it never throws and is not waited for. */
export type OnAttempt = (attempted: Attempted) => void;
