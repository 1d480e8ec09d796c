import { realpathSync } from 'node:fs';
import type { Run } from '../../command/command.js';
import { printerOfSentences } from '../../command/printer.js';
import { readPolicyFile, policyStateOf } from '../../session/guard/read-policy.js';
import { SIGNERS_MAX_BYTES, type SignerRole } from '../../batches/approval/signature.js';
import { signerLines, skippedSignerLines } from '../../batches/approval/signer-list.js';
import { plainPolicy, plainRules, policyDocument } from '../../session/guard/plain-policy.js';
import type { PlainSentence } from '../../session/guard/plain-policy.js';
import { parsePolicy, POLICY_MAX_BYTES, PolicyUnusable } from '../../session/guard/policy.js';
import type { Policy, PolicyState } from '../../session/guard/policy.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { readSmallFile } from '../../runtime/small-file.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { lockOf } from '../../session/guard/open-guard.js';
import type { Texts } from '../../command/line/flags.js';

const NOTHING_CHANGED = 'Nothing was changed.';

export async function checkPolicy(
  { ports, flags }: Pick<Run<Run['flags'] & Texts<'signers'>>, 'ports' | 'flags'>,
  file?: string,
): Promise<void> {
  const { policyFile } = ports.machine;
  let policy: Policy | null;
  let sentences: readonly PlainSentence[];
  if (file === undefined) {
    const state = await policyStateOf(readPolicyFile(ports.machine));
    requireUsable(state);
    policy = state.kind === 'policy' ? state.policy : null;
    sentences = plainPolicy(state);
  } else {
    policy = policyIn(file);
    const text = `svc reads ${file}. It is in force once it stands as ${policyFile} and only root can change it.`;
    sentences = [{ about: 'policy', text }, ...plainRules(policy)];
  }
  let signerList = file === undefined && flags.signers === undefined ? listOfMachine(policy, ports) : null;
  if (flags.signers !== undefined)
    signerList = { file: flags.signers, bytes: readFileBytes(flags.signers, SIGNERS_MAX_BYTES) };
  if (signerList !== null) await requireAllRead(signerList, ports);
  const signerTexts = signerList === null ? [] : signerSentences(signerList, policy);
  const printer = await printerOfSentences(ports, flags, [...sentences, ...signerTexts]);
  const document = policy && policyDocument(policy);
  const answer = { file: file ?? policyFile, policy: document, signers: signerList?.file ?? null };
  await printer.answer(Buffer.from(JSON.stringify(answer)));
}

type CheckPorts = Pick<Run['ports'], 'machine' | 'random'>;

function policyIn(file: string): Policy {
  try {
    return parsePolicy(readFileBytes(file, POLICY_MAX_BYTES));
  } catch (error) {
    if (!(error instanceof PolicyUnusable)) throw error;
    const details = error.problems.map(({ field, code, sentence }) =>
      detailOf(field === '' ? 'policy' : field, code, sentence),
    );
    const items = error.problems.map(({ sentence }) => sentence);
    throw wrongFileFailure(`${file} is not a policy that svc can use.`, { code: error.code, items, details });
  }
}

interface SignerList {
  readonly file: string;
  readonly bytes: Uint8Array;
}

function listOfMachine(policy: Policy | null, { machine }: CheckPorts): SignerList | null {
  if (policy === null || policy.payouts.approvals === 0) return null;
  const file = policy.approvals.signers;
  const signersFile = machine.readTrusted(file, { maxBytes: SIGNERS_MAX_BYTES });
  if (signersFile.kind === 'bytes') return { file, bytes: signersFile.bytes };
  const [code, why] =
    signersFile.kind === 'absent'
      ? ['signers_missing', `There is no ${file}.`]
      : ['signers_untrusted', signersFile.why];
  const text = `Nobody can approve: the list of signers of this machine cannot be used. ${why}`;
  throw new Failure('unsafe', text, { code, concernsMoney: false });
}

/** After a space between two options, ssh-keygen reads the next word as the key. */
const COMMAS_HINT = 'Options are separated by commas, without spaces.';

/** A key may stand in several lines, so keys are counted, not lines. */
function signerSentences({ file, bytes }: SignerList, policy: Policy | null): PlainSentence[] {
  const lines = signerLines(bytes);
  const count = (role: SignerRole): number =>
    new Set(lines.flatMap(({ roles, key }) => (roles.includes(role) ? [key] : []))).size;
  const [makerCount, approverCount] = [count('maker'), count('approver')];
  const neededApprovals = policy?.payouts.approvals ?? 0;
  const hasAuthority = lines.some(({ isAuthority }) => isAuthority);
  const shortageText =
    approverCount < neededApprovals && !hasAuthority
      ? ` The policy asks for ${String(neededApprovals)}: nobody can send.`
      : '';
  const text = `ssh-keygen reads each line of ${file}. Keys that may make a plan: ${String(makerCount)}. Keys that may approve one: ${String(approverCount)}.${shortageText}`;
  return [{ about: 'signers', text }];
}

async function requireAllRead({ file, bytes }: SignerList, { machine, random }: CheckPorts): Promise<void> {
  const folder = makeTemporaryFolder('svc-policy-', random);
  try {
    const keygen = await requireKeygen(machine, folder.path);
    const key = Buffer.from(random.hex(32), 'hex');
    const lines = await skippedSignerLines(bytes, { keygen, folder: folder.path, random: key });
    if (lines.length === 0) return;
    throw wrongFileFailure(`ssh-keygen passes over lines of ${file}: nobody in them can sign.`, {
      code: 'signers_passed_over',
      advice: lines.some(({ why }) => why.startsWith('invalid key')) ? [COMMAS_HINT] : [],
      items: lines.map(({ line, why }) => `line ${String(line)}: ${why}`),
      details: lines.map(({ line, why }) => detailOf(`line ${String(line)}`, 'invalid', why)),
    });
  } finally {
    folder.remove();
  }
}

function readFileBytes(file: string, maxBytes: number): Uint8Array {
  let path = file;
  try {
    path = realpathSync(file);
  } catch {
    // `readSmallFile` reports a file that is missing or has no real path.
  }
  const result = readSmallFile(path, maxBytes);
  if (result.kind === 'bytes') return result.bytes;
  throw wrongFileFailure(
    result.kind === 'absent' ? `There is no file ${file}.` : `${file} ${result.why}.`,
    {},
  );
}

function detailOf(field: string, code: string, message: string) {
  return { field, code, extraMembers: { message } };
}

const ITEMS_MAX = 20;
const DETAILS_MAX = 200;

function wrongFileFailure(
  head: string,
  { items = [], details, ...otherFacts }: Pick<FailureFacts, 'code' | 'items' | 'advice' | 'details'>,
): Failure {
  const shownItems = items.slice(0, ITEMS_MAX);
  const leftCount = items.length - shownItems.length;
  return new Failure('bad_file', `${head} ${NOTHING_CHANGED}`, {
    ...otherFacts,
    concernsMoney: false,
    items: leftCount === 0 ? shownItems : [...shownItems, `and ${String(leftCount)} more`],
    details: details?.slice(0, DETAILS_MAX),
  });
}

function requireUsable(
  state: PolicyState,
): asserts state is Exclude<PolicyState, { readonly kind: 'unusable' }> {
  if (state.kind !== 'unusable') return;
  const head = `The policy of this machine cannot be used, and only reads are sent live. ${state.why}`;
  throw new Failure('unsafe', head, { code: state.code, concernsMoney: false });
}

export async function showPolicy({ ports, flags }: Pick<Run, 'ports' | 'flags'>): Promise<void> {
  const state = await policyStateOf(readPolicyFile(ports.machine));
  const lock = lockOf(ports);
  const printer = await printerOfSentences(ports, flags, plainPolicy(state, lock));
  const isUnusable = state.kind === 'unusable';
  const answer = {
    state: state.kind === 'policy' ? 'in_force' : state.kind,
    file: ports.machine.policyFile,
    code: isUnusable ? state.code : null,
    why: isUnusable ? state.why : null,
    binds: state.kind === 'policy' ? state.binds : isUnusable,
    policy: state.kind === 'policy' ? policyDocument(state.policy) : null,
    lock,
  };
  await printer.answer(Buffer.from(JSON.stringify(answer)));
  requireUsable(state);
}
