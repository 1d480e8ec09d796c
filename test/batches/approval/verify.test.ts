import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifySignatures } from '../../../src/batches/approval/verify.js';
import { openPlan } from '../../../src/batches/approval/open-plan.js';
import { findSignatures, readNamedSigners } from '../../../src/batches/approval/signature-files.js';
import { readTrustedSigners } from '../../../src/batches/approval/signature-files.js';
import { countPeople, signaturesNeeded } from '../../../src/batches/approval/people.js';
import { NAMESPACES } from '../../../src/batches/approval/signature.js';
import { systemRandom } from '../../../src/runtime/clock.js';
import { findKeygen, requireKeygen } from '../../../src/runtime/ssh-keygen.js';
import { readTrusted } from '../../../src/runtime/trusted-file.js';
import { bodyOf, PAYROLL, planOf } from './plan/given.js';
import { fresh } from '../../support/fresh.js';
import { falseKeygen, HAS_KEYGEN, KEYGEN, people } from '../../support/signers.js';
import { IS_SOAK } from '../../support/soak.js';
import { testFolder } from '../../support/test-folder.js';

const NOW = Date.parse('2026-11-24T10:00:00Z');
const FLIPS = IS_SOAK ? 300 : 40;

const someone = fresh(people, 'file');
const folder = testFolder();

const code = (code: string) => ({ facts: { code } });

const signedBytes = (): Buffer => planOf({ maker: someone.fingerprint('maker') });

interface Signing {
  readonly maker?: string | null;
  readonly made?: readonly string[];
  readonly approve?: readonly string[];
}

interface Counting {
  readonly nowMs?: number;
  readonly list?: Buffer;
  readonly keygen?: string;
}

function signedPlan({ maker = 'maker', made, approve = [] }: Signing): string {
  const bytes = planOf({ maker: maker === null ? null : someone.fingerprint(maker) });
  const path = join(mkdtempSync(join(folder, 'plan-')), 'payroll-11.plan');
  writeFileSync(path, bytes);
  for (const key of made ?? (maker === null ? [] : [maker]))
    writeFileSync(`${path}.${key}.maker.sig`, someone.sign(bytes, key, NAMESPACES.maker));
  for (const key of approve) writeFileSync(`${path}.${key}.sig`, someone.sign(bytes, key));
  return path;
}

async function counted(
  path: string,
  { nowMs = NOW, list = someone.list, keygen }: Counting = {},
  named?: readonly string[],
) {
  await using plan = await openPlan(path, { random: systemRandom });
  keygen ??= await requireKeygen({ keygens: [KEYGEN], readTrusted }, plan.folder);
  const world = { keygen, signers: list, serviceMs: nowMs };
  const found = findSignatures(path, named);
  const { verified, refused } = await verifySignatures(plan, found.signatures, world);
  const people = countPeople(plan.head.maker, verified);
  return {
    maker: people.maker?.name ?? null,
    approvers: people.approvers.map(({ name }) => name),
    approvals: people.approvals,
    refused: [...found.refused, ...refused, ...people.refused].map(({ code }) => code),
    whys: [...found.refused, ...refused, ...people.refused].map(({ file, why }) => `${file} ${why}`),
  };
}

const WORLD = () => ({ keygen: KEYGEN, signers: someone.list, serviceMs: NOW });
const bob = (): Buffer => someone.sign(signedBytes(), 'bob');

describe.skipIf(!HAS_KEYGEN)('who counts', () => {
  const NAME = (key: string): string => `${key}@example.com`;
  const NAMES = (...keys: string[]): string[] => keys.map(NAME);

  it.each<[string, Signing, string[], number]>([
    ['one approval', { approve: ['bob'] }, [NAME('bob')], 1],
    ['two approvals', { approve: ['bob', 'carla'] }, NAMES('bob', 'carla'), 2],
    ['keys of other kinds', { approve: ['dora', 'eva'] }, NAMES('dora', 'eva'), 2],
    ['a certificate', { approve: ['hugo-as-hugo'] }, [NAME('hugo')], 1],
    ['two of a plan without a maker', { maker: null, approve: ['bob', 'carla'] }, NAMES('bob', 'carla'), 1],
    ['a bot that makes, and a person who approves', { maker: 'bot', approve: ['bob'] }, [NAME('bob')], 1],
  ])('%s', async (_, signing, approvers, approvals) => {
    const people = await counted(signedPlan(signing));
    expect(people).toMatchObject({ approvers, approvals, refused: [] });
    expect(people.maker).toBe(signing.maker === null ? null : NAME(signing.maker ?? 'maker'));
  });

  it.each<[string, Signing, Counting, number, string[]]>([
    ['nobody', {}, {}, 0, []],
    ['the maker with the same key', { approve: ['maker'] }, {}, 0, ['made_the_plan']],
    ['the maker with a second key', { approve: ['maker2'] }, {}, 0, ['made_the_plan']],
    ['the maker under his name in capitals', { approve: ['maker3'] }, {}, 0, ['made_the_plan']],
    ['the maker who hides', { maker: null, approve: ['maker'] }, {}, 0, []],
    ['one person with two keys', { approve: ['ana', 'ana2'] }, {}, 1, ['counted_already']],
    ['one key with two names, twice', { approve: ['shared', 'shared2'] }, {}, 1, ['counted_already']],
    ['a second name of the maker', { maker: 's3', approve: ['shared'] }, {}, 0, ['made_the_plan']],
    ['a line with two names', { approve: ['wide'] }, {}, 0, ['signer_ambiguous']],
    ['a line with a pattern', { approve: ['wild'] }, {}, 0, ['signature_bad']],
    ['one key of two names', { approve: ['hugo-as-hugo', 'hugo-as-iris'] }, {}, 1, ['counted_already']],
    ['a certificate that is over', { approve: ['hugo-over'] }, {}, 0, ['signer_unknown']],
    ['a certificate for nobody', { approve: ['hugo-nameless'] }, {}, 0, ['signer_unknown']],
    ['the bare key of a certificate', { approve: ['hugo'] }, {}, 0, ['signer_unknown']],
    ['a signer whose time is over', { approve: ['old'] }, {}, 0, ['signer_unknown']],
    ['a signer whose time has not come', { approve: ['young'] }, {}, 0, ['signer_unknown']],
    ['a bot that may only make plans', { approve: ['bot'] }, {}, 0, ['signature_bad']],
    ['somebody whom nobody knows', { approve: ['evil'] }, {}, 0, ['signer_unknown']],
    ['an empty list', { maker: null, approve: ['bob'] }, { list: Buffer.alloc(0) }, 0, ['signer_unknown']],
  ])('%s is not counted', async (_, signing, counting, approvals, refused) => {
    expect(await counted(signedPlan(signing), counting)).toMatchObject({ approvals, refused });
  });

  it('asks for the time of the service, and not of this machine', async () => {
    const plan = signedPlan({ approve: ['old', 'young'] });
    const then = async (text: string) => (await counted(plan, { nowMs: Date.parse(text) })).approvers;
    expect(await then('2025-12-31T23:59:58Z')).toEqual([NAME('old')]);
    expect(await then('2026-01-01T00:00:01Z')).toEqual([]);
    expect(await then('2027-06-01T00:00:00Z')).toEqual([NAME('young')]);
  });

  it('takes nobody for the maker but the key that the plan names', async () => {
    const of = async (signing: Signing) => counted(signedPlan(signing));
    expect(await of({ made: [], approve: ['bob'] })).toMatchObject({ maker: null, approvals: 1 });
    const another = await of({ maker: 'ana', made: ['maker'], approve: ['maker'] });
    expect(another).toMatchObject({ maker: null, refused: ['not_the_maker'] });
    const second = await of({ maker: 'maker2', made: ['maker2'] });
    expect(second).toMatchObject({ maker: null, refused: ['signature_bad'] });
  });

  it.each([
    ...['git', 'file', 'svc-payroll-approval2', ''.padEnd(300, 'n')].map((one) => [one, 'signature_other']),
    [NAMESPACES.maker, 'not_the_maker'],
  ])('takes no signature for %s', async (namespace, refused) => {
    const path = signedPlan({});
    writeFileSync(`${path}.ana.sig`, someone.sign(signedBytes(), 'ana', namespace));
    expect(await counted(path)).toMatchObject({ approvals: 0, refused: [refused] });
  });

  it('counts a signature that was given twice once', async () => {
    const path = signedPlan({ approve: ['bob'] });
    const files = [`${path}.maker.maker.sig`, `${path}.bob.sig`, `${path}.bob.sig`];
    expect(await counted(path, {}, files)).toMatchObject({ approvals: 1, refused: ['counted_already'] });
  });

  const EDITS: readonly (readonly [string, (text: string) => string])[] = [
    ['two amounts', (text) => text.replace(/(1500.50)(.*)(980.00)/s, '$3$2$1')],
    ['the order of the rows', (text) => text.replace(/\n(.*)\n(.*)\n/, '\n$2\n$1\n')],
    ['an account', (text) => text.replace('04149876543', '04140000000')],
    ['its end', (text) => text.replace('2026-11-27', '2026-11-30')],
    ['its batch', (text) => text.replace('payroll-11', 'payroll-12')],
    ['since', (text) => text.replace('"since":null', '"since":"2026-11-01T00:00:00Z"')],
  ];
  it.each(EDITS)('counts nothing for a plan in which somebody changed %s', async (_, edit) => {
    const path = signedPlan({ approve: ['bob'] });
    const text = signedBytes().toString();
    expect(edit(text)).not.toBe(text);
    writeFileSync(path, edit(text));
    const refused = ['signature_bad', 'signature_bad'];
    expect(await counted(path)).toMatchObject({ maker: null, approvals: 0, refused });
  });

  it('checks what it has read, whatever stands in the place of the plan by then', async () => {
    const path = signedPlan({ approve: ['bob'] });
    const row = bodyOf({ ...PAYROLL[0]!, amount: '999999.00' });
    const other = planOf({ maker: someone.fingerprint('maker') }, [row]);
    await using plan = await openPlan(path, { random: systemRandom });
    writeFileSync(path, other);
    const { verified } = await verifySignatures(plan, findSignatures(path).signatures, WORLD());
    expect(countPeople(plan.head.maker, verified).approvals).toBe(1);
    expect(plan.head.totals).toEqual([{ currency: 'VES', rows: 3, total: '3680.50' }]);
  });

  it(`takes one of ${FLIPS} changed bits of a signature for damage, or finds it bad`, async () => {
    const path = signedPlan({});
    const armored = bob().toString();
    const raw = Buffer.from(armored.replaceAll(/-----.*-----|\n/g, ''), 'base64');
    const signatures = Array.from({ length: FLIPS }, (_, at) => {
      const changed = Buffer.from(raw);
      const bit = Math.floor((at * raw.length * 8) / FLIPS);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      const lines = changed.toString('base64').replace(/(.{70})/g, '$1\n');
      const text = `-----BEGIN SSH SIGNATURE-----\n${lines.trimEnd()}\n-----END SSH SIGNATURE-----\n`;
      return { name: `${at}.sig`, bytes: Buffer.from(text) };
    });
    await using plan = await openPlan(path, { random: systemRandom });
    expect((await verifySignatures(plan, signatures, WORLD())).verified).toEqual([]);
  });
});

describe.skipIf(!HAS_KEYGEN)('signature files', () => {
  const puts = (bytes: () => Uint8Array | string) => (path: string) => writeFileSync(path, bytes());
  const NONE = 'is not a signature of ssh-keygen';
  it.each<[string, (path: string) => void, string]>([
    ['a huge one', puts(() => Buffer.alloc(2 ** 26)), 'is larger than 16 KiB'],
    ['a pipe', (path) => void execFileSync('mkfifo', [path]), 'is not a regular file'],
    ['a folder', (path) => mkdirSync(path), 'is not a regular file'],
    ['a link', (path) => symlinkSync('/etc/hostname', path), 'is a link'],
    ['an empty one', puts(() => ''), NONE],
    ['two in one', puts(() => Buffer.concat([bob(), bob()])), NONE],
    ['words around it', puts(() => `approved!\n${bob().toString()}`), NONE],
    ['of mail', puts(() => bob().toString().replaceAll('\n', '\r\n')), 'has other line ends (CRLF)'],
    ['a part', puts(() => String(bob()).replace(/\n.*\n-----END/, '\n-----END')), 'is cut off'],
  ])('%s counts for nothing, and the others count', async (_, put, why) => {
    const path = signedPlan({ approve: ['carla'] });
    put(`${path}.bob.sig`);
    const people = await counted(path);
    expect(people).toMatchObject({ approvers: ['carla@example.com'], refused: ['signature_damaged'] });
    expect(people.whys.join()).toContain(`payroll-11.plan.bob.sig ${why}`);
  });

  it('more than 32 are looked at by nobody', () => {
    const path = signedPlan({});
    for (let at = 0; at < 32; at += 1) writeFileSync(`${path}.${at}.sig`, '');
    expect(() => findSignatures(path)).toThrow('There are 33 signatures');
  });

  it('one that is named has to be there', () => {
    expect(() => findSignatures(signedPlan({}), [join(folder, 'none.sig')])).toThrow('none.sig');
  });
});

describe('the list of signers', () => {
  it('is one that the user who runs svc cannot have made', () => {
    const read = (kind: 'absent' | 'untrusted' | 'unreadable') => () =>
      readTrustedSigners('/x', { readTrusted: () => (kind === 'absent' ? { kind } : { kind, why: 'No.' }) });
    const thrown = (text: string) =>
      expect.objectContaining({ facts: expect.objectContaining({ code: text }) as unknown }) as Error;
    expect(read('absent')).toThrow(thrown('signers_missing'));
    for (const kind of ['untrusted', 'unreadable'] as const)
      expect(read(kind)).toThrow(thrown('signers_untrusted'));
  });

  it('is a plain file where somebody names it', () => {
    const path = join(folder, 'signers');
    writeFileSync(path, 'x');
    expect(Buffer.from(readNamedSigners(path)).toString()).toBe('x');
    truncateSync(path, 1024 * 1024 + 1);
    expect(() => readNamedSigners(path)).toThrow('is larger than 1024 KiB');
    expect(() => readNamedSigners(join(folder, 'no-signers'))).toThrow('is not there');
    symlinkSync(path, join(folder, 'linked-signers'));
    expect(() => readNamedSigners(join(folder, 'linked-signers'))).toThrow('is a link');
  });
});

describe('ssh-keygen', () => {
  const trusting: typeof readTrusted = (path) => ({ kind: 'bytes', bytes: Buffer.from(path), binds: true });
  const required = (keygens: string[], read = readTrusted) =>
    requireKeygen({ keygens, readTrusted: read }, folder);
  const NOWHERE = '/nonexistent/ssh-keygen';

  it.skipIf(!HAS_KEYGEN)('is the first that is there, and is not looked for by PATH', async () => {
    expect(findKeygen({ keygens: [NOWHERE, KEYGEN], readTrusted })).toEqual({ kind: 'found', path: KEYGEN });
    await expect(required([NOWHERE])).rejects.toMatchObject(code('keygen_missing'));
    await expect(required([KEYGEN])).resolves.toBe(KEYGEN);
  });

  it("is none of the user's own", async () => {
    const untrusting: typeof readTrusted = () => ({ kind: 'untrusted', why: 'It is mine.' });
    await expect(required([KEYGEN], untrusting)).rejects.toMatchObject(code('keygen_untrusted'));
  });

  const OLD = 'echo "unknown option -- O" >&2; echo "usage: ssh-keygen" >&2; exit 1';
  const NOBODY = 'echo "No user exists for uid 4242" >&2; exit 255';
  const HERE = 'ssh-keygen does not run for user id 4242: /etc/passwd does not have it. Nothing was sent.';
  it.each([
    ['is older than what is asked here', OLD, 'may be too old: it says "unknown option -- O". svc needs'],
    ['fails without a word', 'exit 1', 'may be too old. svc needs'],
    ['does not know who runs it', NOBODY, HERE],
    ['does not end', 'sleep 60', 'did not end'],
    ['says too much', 'while :; do echo no; done', 'did not end'],
    ['is no program', '\u0000', 'cannot be started'],
  ])('one that %s is none', async (_, script, text) => {
    const path = falseKeygen(mkdtempSync(join(folder, 'bin-')), script);
    if (script === '\u0000') chmodSync(path, 0o644);
    const limit = script.startsWith('sleep') ? { limitMs: 50 } : {};
    const asked = requireKeygen({ keygens: [path], readTrusted: trusting }, folder, limit);
    await expect(asked).rejects.toThrow(text);
    await expect(asked).rejects.toMatchObject(code('keygen_missing'));
  });

  it.skipIf(!HAS_KEYGEN)('that says yes to all would count: so it is not taken from PATH', async () => {
    const bin = mkdtempSync(join(folder, 'bin-'));
    const liar = falseKeygen(bin, 'case "$*" in *find-principals*) echo p$$@example.com;; esac; exit 0');
    const path = signedPlan({ approve: ['evil'] });
    expect(await counted(path, { keygen: liar })).toMatchObject({ approvals: 1 });
    expect(await counted(path)).toMatchObject({ approvals: 0 });
  });

  it('sees nothing of the environment', async () => {
    const path = falseKeygen(
      mkdtempSync(join(folder, 'bin-')),
      'env | grep -v "^\\(PATH=/usr/bin:/bin\\|LC_ALL=C\\|TZ=UTC\\|PWD=/\\|SHLVL=.*\\|_=.*\\|OLDPWD=.*\\)$" && exit 1; exit 0',
    );
    await expect(required([path], trusting)).resolves.toBe(path);
  });
});

it('asks one person more of a plan that names no maker', () => {
  expect([0, 1, 2].map((count) => signaturesNeeded(count, null))).toEqual([0, 2, 3]);
  expect([0, 1, 2].map((count) => signaturesNeeded(count, 'SHA256:x'))).toEqual([0, 1, 2]);
});
