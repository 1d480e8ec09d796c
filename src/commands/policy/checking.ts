/** `svc policy check`: a policy before it is put in place, member by member, or the one of this machine with the place where it stands; and lists of signers. */
import { realpathSync } from 'node:fs';
import type { Run } from '../../cli/command.js';
import { linesPassedOver } from '../../cli/guard/passed-over.js';
import { printerOfSentences } from '../../cli/printing/printer.js';
import { lookAtPolicy, policyStateOf } from '../../cli/session/policy-state.js';
import { SIGNERS_MAX_BYTES, type SignerRole } from '../../guard/approval/signature.js';
import { signerLines } from '../../guard/approval/signer-list.js';
import { plainPolicy, plainRules, policyDocument, type PlainSentence } from '../../guard/plain-policy.js';
import { parsePolicy, type Policy, POLICY_MAX_BYTES, PolicyUnusable } from '../../guard/policy.js';
import { Failure, type FailureDetail } from '../../runtime/failure.js';
import { readSmallFile } from '../../runtime/small-file.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { requireUsable } from './usable.js';

interface CheckFlags {
  readonly signers?: string | undefined;
}

/** What this means for what was to be done. */
const UNDONE = 'Nothing was changed.';

/**
 * @param file the policy of this machine where it is undefined
 * @throws Failure `bad_file` for a file that is wrong; `unsafe` for what is wrong on this machine; `local_state` without `ssh-keygen`
 */
export async function checkPolicy(
  { ports, flags }: Pick<Run<Run['flags'] & CheckFlags>, 'ports' | 'flags'>,
  file?: string,
): Promise<void> {
  const { policy, said } = file === undefined ? await checkMachine(ports) : checkFile(file, ports);
  const list =
    flags.signers === undefined
      ? file === undefined
        ? listOfMachine(policy, ports)
        : null
      : namedList(flags.signers);
  if (list !== null) await requireRead(list, ports);
  const signed = list === null ? [] : saidOfList(list, policy);
  const printer = await printerOfSentences(ports, flags, [...said, ...signed]);
  const facts = {
    file: file ?? ports.machine.policyFile,
    policy: policy && policyDocument(policy),
    signers: list?.file ?? null,
  };
  await printer.answer(Buffer.from(JSON.stringify(facts)));
}

interface Found {
  /** Null where there is none. */
  readonly policy: Policy | null;
  readonly said: readonly PlainSentence[];
}

type Ports = Pick<Run['ports'], 'machine' | 'random'>;

async function checkMachine({ machine }: Ports): Promise<Found> {
  const state = await policyStateOf(lookAtPolicy(machine));
  requireUsable(state);
  return { policy: state.kind === 'policy' ? state.policy : null, said: plainPolicy(state) };
}

function checkFile(file: string, { machine }: Ports): Found {
  const policy = policyIn(file);
  const first = `svc reads ${file}. It is in force once it stands as ${machine.policyFile} and only root can change it.`;
  return { policy, said: [{ about: 'policy', text: first }, ...plainRules(policy)] };
}

function policyIn(file: string): Policy {
  try {
    // One byte more, so that a policy of that size is told apart from a larger one.
    return parsePolicy(bytesOf(file, POLICY_MAX_BYTES));
  } catch (error) {
    if (!(error instanceof PolicyUnusable)) throw error;
    const details = error.problems.map(({ field, code, sentence }) => ({
      field: field === '' ? 'policy' : field,
      code,
      more: { message: sentence },
    }));
    const items = error.problems.map(({ sentence }) => sentence);
    throw wrongFile(`${file} is not a policy that svc can use.`, { code: error.code, items, details });
  }
}

interface SignerList {
  readonly file: string;
  readonly bytes: Uint8Array;
}

function namedList(file: string): SignerList {
  return { file, bytes: bytesOf(file, SIGNERS_MAX_BYTES) };
}

/** The list that the policy in force goes by; null where it asks nobody. */
function listOfMachine(policy: Policy | null, { machine }: Ports): SignerList | null {
  if (policy === null || policy.payouts.approvals === 0) return null;
  const file = policy.approvals.signers;
  const found = machine.readTrusted(file, { maxBytes: SIGNERS_MAX_BYTES });
  if (found.kind === 'bytes') return { file, bytes: found.bytes };
  const [code, why] =
    found.kind === 'absent' ? ['signers_missing', `There is no ${file}.`] : ['signers_untrusted', found.why];
  throw new Failure(
    'unsafe',
    `Nobody can approve: the list of signers of this machine cannot be used. ${why}`,
    {
      code,
      concernsMoney: false,
    },
  );
}

/** The usual mistake: what stands behind the space is read as the key. */
const COMMAS = 'Options are separated by commas, without spaces.';

/** Keys are counted, and not names. */
function saidOfList({ file, bytes }: SignerList, policy: Policy | null): PlainSentence[] {
  const lines = signerLines(bytes);
  const count = (role: SignerRole): number =>
    new Set(lines.flatMap(({ roles, key }) => (roles.includes(role) ? [key] : []))).size;
  const [makers, approvers] = [count('maker'), count('approver')];
  const asked = policy?.payouts.approvals ?? 0;
  const hasAuthority = lines.some(({ isAuthority }) => isAuthority);
  const few =
    approvers < asked && !hasAuthority ? ` The policy asks for ${String(asked)}: nobody can send.` : '';
  return [
    {
      about: 'signers',
      text: `ssh-keygen reads each line of ${file}. Keys that may make a plan: ${String(makers)}. Keys that may approve one: ${String(approvers)}.${few}`,
    },
  ];
}

/** @throws Failure `bad_file` with the lines that `ssh-keygen` passes over */
async function requireRead({ file, bytes }: SignerList, { machine, random }: Ports): Promise<void> {
  const folder = makeTemporaryFolder('svc-policy-', random);
  try {
    const keygen = await requireKeygen(machine, folder.path);
    const key = Buffer.from(random.hex(32), 'hex');
    const lines = await linesPassedOver(bytes, { keygen, folder: folder.path, random: key });
    if (lines.length === 0) return;
    throw wrongFile(`ssh-keygen passes over lines of ${file}: nobody in them can sign.`, {
      code: 'signers_passed_over',
      advice: lines.some(({ why }) => why.startsWith('invalid key')) ? [COMMAS] : [],
      items: lines.map(({ line, why }) => `line ${String(line)}: ${why}`),
      details: lines.map(({ line, why }) => ({
        field: `line ${String(line)}`,
        code: 'invalid',
        more: { message: why },
      })),
    });
  } finally {
    folder.remove();
  }
}

/** @throws Failure `bad_file` */
function bytesOf(file: string, maxBytes: number): Uint8Array {
  const found = readSmallFile(realPathOf(file), maxBytes);
  if (found.kind === 'bytes') return found.bytes;
  throw wrongFile(found.kind === 'absent' ? `There is no file ${file}.` : `${file} ${found.why}.`, {});
}

/** Where an administrator puts links, they are followed: nothing is decided by who made this file. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

const SHOWN = 20;
const KEPT = 200;

interface Wrong {
  readonly code?: string;
  readonly items?: readonly string[];
  readonly advice?: readonly string[];
  readonly details?: readonly FailureDetail[];
}

function wrongFile(head: string, { items = [], details, ...more }: Wrong): Failure {
  const shown = items.slice(0, SHOWN);
  const left = items.length - shown.length;
  return new Failure('bad_file', `${head} ${UNDONE}`, {
    ...more,
    concernsMoney: false,
    items: left === 0 ? shown : [...shown, `and ${String(left)} more`],
    details: details?.slice(0, KEPT),
  });
}
