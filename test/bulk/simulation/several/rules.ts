/** What keeps several machines at one batch from paying twice: each can be put out alone. */
export const SEVERAL_RULES = [
  'look before sending',
  'results of whoever has the row',
  'REAP remembers',
  'seq',
  'failover check',
] as const;
export type SeveralRule = (typeof SEVERAL_RULES)[number];
