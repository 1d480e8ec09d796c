/** What keeps several machines at one batch from paying twice: each can be put out alone, but for two that stand in for each other. */
export const SEVERAL_RULES = [
  'look before sending',
  'results of whoever has the row',
  'REAP remembers',
  // Both: the number of an exchange alone was missed in none of 2,000 histories, because the server that answers tells it too.
  'seq and home',
  'failover check',
] as const;
export type SeveralRule = (typeof SEVERAL_RULES)[number];
