import { describe, expect, it } from 'vitest';
import {
  type DatabaseFacts,
  checksOf,
  type StateFacts,
  hasOtherLocks,
} from '../../../src/storage/postgres/checks.js';
import { SCHEMA_VERSION as KNOWN } from '../../../src/storage/postgres/schema.js';

const ASKED: DatabaseFacts = {
  ...{ version: 'PostgreSQL 18.4 on x86_64-pc-linux-gnu', recovering: false, reading: false },
  ...{ commit: 'on', fsync: 'on', pages: 'on', standbys: 's1', encrypted: true, user: 'svc_worker' },
  ...{ sends: true, rewrites: false },
};
const FOUND: StateFacts = {
  tables: { version: KNOWN, least_writer: KNOWN, least_reader: KNOWN, environment: 'live' },
  ...{ hasKey: true, isLoopback: false, aheadMs: 20, isPooled: false },
  ...{ clockOwner: 'service', activeWorkers: [] },
};
const of = (asked: Partial<DatabaseFacts>, found: Partial<StateFacts> = {}) =>
  checksOf({ ...ASKED, ...asked }, { ...FOUND, ...found })
    .filter(({ status }) => status !== 'ok')
    .map(({ check, status, kind }) => `${check} ${status}${kind === null ? '' : ` ${kind}`}`);

describe('the database of the shared state', () => {
  it.each<[string, Partial<DatabaseFacts>, Partial<StateFacts>]>([
    ['as it should be', {}, {}],
    ['of the oldest version that is tested', { version: 'PostgreSQL 14.0 on x86' }, {}],
    ['30 seconds ahead', {}, { aheadMs: 30_000 }],
    ['30 seconds behind', {}, { aheadMs: -30_000 }],
  ])('is well %s', (_how, asked, found) => expect(of(asked, found)).toEqual([]));

  it.each<[string, Partial<DatabaseFacts>, Partial<StateFacts>]>([
    ['writable error local_state', { recovering: true }, {}],
    ['writable error local_state', { reading: true }, {}],
    ['durable error local_state', { commit: 'off' }, {}],
    ['durable error local_state', { fsync: 'off' }, {}],
    ['durable error local_state', { pages: 'off' }, {}],
    ['durable warning', { fsync: 'off' }, { tables: { ...FOUND.tables, environment: 'sandbox' } }],
    ['standbys warning', { standbys: '' }, {}],
    ['database error local_state', { version: 'CockroachDB CCL v24.1' }, {}],
    ['database error local_state', { version: 'PostgreSQL 11.2-YB-2.20.1.0-b0' }, {}],
    ['database warning', { version: 'PostgreSQL 13.9 on x86' }, {}],
    ['user warning', { rewrites: true }, {}],
    ['user warning', { sends: false }, {}],
    ['encrypted warning', { encrypted: false }, {}],
    ['sealed warning', {}, { hasKey: false }],
    ['clock warning', {}, { aheadMs: 31_000 }],
    ['clock error local_state', {}, { aheadMs: -301_000 }],
    ['clock warning', {}, { aheadMs: -301_000, clockOwner: 'machine' }],
    ['schema warning', {}, { tables: { ...FOUND.tables, version: KNOWN + 1, least_writer: KNOWN + 1 } }],
  ])('has a %s', (which, asked, found) => expect(of(asked, found)).toEqual([which]));

  it('says who is at work at what, and that somebody stands between', () => {
    const march = { batch: 'march', workers: 'pod-1, pod-2' };
    const activeWorkers = [march, { batch: 'april', workers: 'laptop' }];
    const said = checksOf(ASKED, { ...FOUND, activeWorkers, isPooled: true }).map(({ detail }) => detail);
    expect(said).toContain('march by pod-1, pod-2; april by laptop');
    expect(said).toContain('there is one, and it does no harm');
  });

  it('is one whose locks are those of PostgreSQL', () => {
    expect(hasOtherLocks('CockroachDB CCL v24.1')).toBe(true);
    expect(hasOtherLocks('PostgreSQL 18.4 on x86_64')).toBe(false);
  });
});
