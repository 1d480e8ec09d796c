import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import { memberAt } from '../../contract/json.js';
import { Failure } from '../../runtime/failure.js';
import type { Where } from '../../session/place-flags.js';
import { presenceOf, proveCompany } from '../../feed/company.js';
import type { OpenMirror } from '../../feed/open-mirror.js';
import { maskOfKey } from '../../session/address.js';
import { requireYes } from '../../payments/confirm.js';
import { lookUp } from '../../command/read.js';
import type { CheckFlags } from '../flags.js';
import type { SessionRun } from '../../command/command.js';

const SEARCHED_ROWS_MAX = 1000;

export async function requireCompany(
  batch: Batch,
  store: BatchStore,
  mirror: OpenMirror,
  run: SessionRun<CheckFlags>,
): Promise<Batch> {
  const { session, flags } = run;
  const batchCompany = batch.company === null ? null : await mirror.mirrors.companyById(batch.company);
  if (batchCompany?.id === mirror.company.id) return batch;
  const states = ['confirmed', 'earlier', 'accepted', 'failed'] as const;
  const rows = await store.rows(batch.id, -1, SEARCHED_ROWS_MAX, states);
  const operation = rows.find((row) => row.operation !== null)?.operation ?? null;
  const isSameKey =
    batchCompany === null && batch.origin === mirror.place.origin && batch.keyMask === maskOfKey(session.key);
  const match = proveCompany(await presenceOf(operation, mirror.read), isSameKey && 'same_key_mask');
  if (match === 'other') {
    const text = `Batch ${batch.name} belongs to another company: this key does not see its operations. Nothing was sent. Use a key of that company.`;
    throw new Failure('unsafe', text, { code: 'other_company', outcome: 'not_sent' });
  }
  if (match === 'unknown') {
    if (flags['same-company'] !== true) {
      const text =
        `Batch ${batch.name} began with another key or address. svc cannot tell whether both belong to the same company. Nothing was sent. ` +
        'If you know that they do, add --same-company.';
      throw new Failure('unsafe', text, { code: 'company_unknown', outcome: 'not_sent' });
    }
    requireYes('same-company', run);
  }
  if (batchCompany !== null) await mirror.mirrors.learn(batchCompany, mirror.place);
  const company = batchCompany?.id ?? mirror.company.id;
  await store.setCompany(batch.id, company);
  return { ...batch, company };
}

export async function lettersOf({ mirror }: OpenMirror, run: SessionRun<Where>): Promise<string | null> {
  const newest = await mirror.newest();
  const { body } = (newest === null ? null : await lookUp(newest.id, run)) ?? {};
  const range = body === undefined ? null : memberAt(body, 'concept');
  if (body === undefined || range === null) return null;
  const concept: unknown = JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString('utf8'));
  return typeof concept === 'string' ? (/^\S+ ([^\s]{3})[^\s]{6}$/u.exec(concept)?.[1] ?? null) : null;
}
