/** @typedef {{ id: string, operation: string, reference: string, occurredAt: string }} Names */

/** @param {Names} names */
export function eventText({ id, operation, reference, occurredAt }) {
  return JSON.stringify({
    id,
    type: 'payout.confirmed',
    occurred_at: occurredAt,
    data: {
      id: operation,
      type: 'payout',
      country: 'VE',
      currency: 'VES',
      method: 'mobile_payment',
      amount: '1500.50',
      status: 'confirmed',
      pending_reason: null,
      bank_reference: '00012345',
      confirmed_at: '2026-09-23T15:04:05Z',
      failure: null,
      reference,
      metadata: {},
      purpose: 'remittance',
      concept: 'Pago DEF6F1C2A',
      created_by: 'company',
      created_at: '2026-09-23T14:59:05Z',
      updated_at: '2026-09-23T15:04:05Z',
    },
  });
}
