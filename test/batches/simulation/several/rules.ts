export const SEVERAL_RULES = [
  'look before sending',
  'results of whoever has the row',
  'REAP remembers',
  'seq and home',
  'failover check',
] as const;
export type SeveralRule = (typeof SEVERAL_RULES)[number];
