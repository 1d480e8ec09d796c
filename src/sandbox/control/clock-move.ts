/** What a move of the clock did. A member that would be 0 is absent. */
export interface ClockMove {
  readonly expired_payins?: number;
  readonly settled_operations?: number;
  readonly due_deliveries?: number;
}

export const groupDigits = (text: string): string =>
  text.replace(/^-?[0-9]+/, (whole) => whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ','));

export const countText = (count: number, one: string, many: string): string =>
  `${groupDigits(String(count))} ${count === 1 ? one : many}`;

export function clockMoveText(move: ClockMove): string | null {
  const { expired_payins: expired, settled_operations: settled, due_deliveries: deliveries } = move;
  const parts = [
    ...(expired === undefined ? [] : [`${countText(expired, 'pay-in', 'pay-ins')} expired`]),
    ...(settled === undefined ? [] : [`${countText(settled, 'operation', 'operations')} settled`]),
    ...(deliveries === undefined ? [] : [`${countText(deliveries, 'delivery', 'deliveries')} tried`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
