/** Creates a pay-in or a payout, once per idempotency key (contract sections 2.2, 2.3 and 4). */
import { createHash } from 'node:crypto';
import type { NewPayin, NewPayout } from '../../contract/body-fields.js';
import { checkCreate } from '../../contract/create.js';
import { memberAt } from '../../contract/json.js';
import { isIdempotencyKey } from '../../contract/notation.js';
import { LIMITS } from '../../contract/limits.js';
import type { Direction } from '../../contract/operation.js';
import { withoutNulls } from '../../contract/shape.js';
import { CAPABILITIES, supportsBank } from '../catalog/catalog.js';
import { recordEffects } from '../engine/world.js';
import { createPayin, createPayout } from '../machine/create.js';
import { companyPrefixOf } from '../machine/operation.js';
import { explainRefusedCreate } from '../log/field-reasons.js';
import { headerValues } from './access.js';
import { type HttpRefusal, refusalAnswer } from '../message.js';
import { contextOf, type EndpointCall, fieldsRefusal, type JsonBody, readObject } from './call.js';

export function create(direction: Direction, call: EndpointCall): string | HttpRefusal {
  const { company, createdBy, nowMs, request, world } = call;
  const { store, keysOfRefused, random } = world;
  const { idempotency, operations } = store;
  const key = readKey(call);
  if (typeof key !== 'string') return key;
  const body = readObject(request.body);
  // Pay-ins and payouts share the idempotency keys of a company, so the fingerprint contains the direction.
  const fingerprint = createHash('sha256')
    .update(`${direction}\n`)
    .update('refusal' in body ? request.body : body.canonical)
    .digest();
  const earlierUse = idempotency.find(company, key, nowMs);
  const keepRefusal = (refusal: HttpRefusal): HttpRefusal => {
    if (earlierUse === undefined && keysOfRefused === 'remember' && refusalAnswer(refusal).status < 500)
      idempotency.remember(company, key, { fingerprint, operation: null }, nowMs);
    return refusal;
  };
  if ('refusal' in body) return keepRefusal(body);
  const original = typeof earlierUse?.operation === 'number' ? operations.byRow(earlierUse.operation) : null;
  if (earlierUse !== undefined && !fingerprint.equals(earlierUse.fingerprint)) {
    const operation = original?.record().operation;
    const what = operation === undefined ? 'was refused' : `made the ${operation.type} ${operation.id}`;
    const why = `This Idempotency-Key ${what} with another body. A new request needs a new key. A repetition needs the same body.`;
    return { refusal: 'idempotency_key_reused', why };
  }
  if (original !== null) {
    call.note.isReplayed = true;
    call.note.operation = original.record().operation.id;
    return original.json;
  }
  // The size limit of `metadata` counts its bytes as sent.
  const range = (body.fields['metadata'] ?? null) === null ? null : memberAt(request.body, 'metadata');
  const metadata = range === null ? null : request.body.subarray(range.start, range.end);
  const target = checkBody(direction, body, metadata);
  if ('refusal' in target)
    return keepRefusal({ ...target, why: explainRefusedCreate(direction, body.fields, target) });
  const fields: unknown = withoutNulls(body.fields, ['metadata']);
  const { decimals } = target;
  const origin = { id: random.uuid(), companyPrefix: companyPrefixOf(company.name), createdBy, decimals };
  const context = contextOf(call);
  const step =
    direction === 'payin'
      ? createPayin(fields as NewPayin, origin, context)
      : createPayout(fields as NewPayout, origin, context);
  const metadataText = metadata === null ? '{}' : compactJson(Buffer.from(metadata).toString('utf8'));
  const stored = operations.insert(company, step.record, metadataText);
  recordEffects(world, stored, step, nowMs);
  call.note.operation = step.record.operation.id;
  idempotency.remember(company, key, { fingerprint, operation: stored.row }, nowMs);
  return stored.json;
}

const KEY_RULE = `${LIMITS.idempotencyKeyMinCharacters} to ${LIMITS.idempotencyKeyMaxCharacters} printable ASCII characters, without leading or trailing spaces`;

function readKey({ request }: EndpointCall): string | HttpRefusal {
  const [key, ...others] = headerValues(request, 'idempotency-key');
  if (key === undefined) {
    const why = `A create needs an Idempotency-Key: ${KEY_RULE}. Use a new key for each operation and the same key for each repetition.`;
    return {
      ...{ refusal: 'idempotency_key_required', why },
      details: [{ field: 'Idempotency-Key', code: 'required' }],
    };
  }
  if (others.length === 0 && isIdempotencyKey(key)) return key;
  const what = others.length > 0 ? 'appears more than once' : `has ${key.length} characters`;
  const why = `Idempotency-Key ${what}. It must be one key of ${KEY_RULE}.`;
  return { refusal: 'field_invalid', why, details: [{ field: 'Idempotency-Key', code: 'invalid' }] };
}

function checkBody(direction: Direction, { fields }: JsonBody, metadata: Uint8Array | null) {
  const target = checkCreate(CAPABILITIES, direction, fields, supportsBank);
  if (metadata === null || metadata.length <= LIMITS.metadataMaxBytes) return target;
  const namesFields = 'refusal' in target && ['field_required', 'field_invalid'].includes(target.refusal);
  const otherDetails = namesFields ? (target.details ?? []) : [];
  if (otherDetails.some(({ field }) => field === 'metadata')) return target;
  return fieldsRefusal([...otherDetails, { field: 'metadata', code: 'invalid' }]);
}

export const compactJson = (text: string): string =>
  /[ \n\r\t]/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|[ \n\r\t]+/g, '$1') : text;
