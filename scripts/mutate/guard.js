import { heldBy } from './mutant.js';

const sending = heldBy('session/guard/request-kind');
const decision = heldBy('session/guard/decision', 'soak/guard/judges');
const lock = heldBy('session/guard/lock');

const policy = heldBy('session/guard/policy');
const list = heldBy('batches/approval/signer-list');
const plain = heldBy('session/guard/plain-policy');

export const guard = [
  decision('judgeSending', 'the sandbox asks for a policy too', [
    "environment !== 'live'",
    "environment === 'live' && false",
  ]),
  decision('judgeSending', 'no lock is asked', ['checkLock(lock, sending) ??', '']),
  decision('judgeSending', 'a policy that nobody can read is none', [
    '?? checkPolicyState(state, sending)',
    '',
  ]),
  decision('checkLock', 'the lock of the sandbox lets live reads through', [
    "lock === 'read-only' && kind === 'read'",
    "kind === 'read'",
  ]),
  decision('checkPolicyState', 'a policy that nobody can read ends reads', [" || kind === 'read'", '']),
  decision('checkPolicy', 'what is no row of the table leaves', ["kind === 'other'", 'false']),
  decision('checkPolicy', 'an address that is not named is taken', ['=== false)', '=== null)']),
  decision('checkPolicy', 'webhooks are registered unasked', ["policy.webhooks === 'register'", 'true']),
  decision('checkPolicy', 'what is allowed is not asked', [
    'ALLOW_RANK[rules.allow] < ALLOW_RANK[ALLOW_NEEDED[kind]]',
    'ALLOW_RANK[rules.allow] < 0',
  ]),
  decision('checkMoney', 'a body that reads in two ways leaves', ['if (damage !== null)', 'if (false)']),
  decision('checkMoney', 'an amount that is none leaves', ['!PLAIN_AMOUNT.test(amount) ||', '']),
  decision('checkMoney', 'an amount of nothing leaves', ["|| compareDecimals(amount, '0') === 0", '']),
  decision('checkMoney', 'a body without a currency leaves', ['if (currency === null)', 'if (false)']),
  decision('checkMoney', 'a method that is not named leaves', ['!rules.methods.includes(method)', 'false']),
  decision('checkMoney', 'the most of one operation is not asked', [
    'compareDecimals(amount, operationMax) > 0',
    'false',
  ]),
  decision('checkMoney', 'what was admitted is asked for hours and approvals again', [
    'facts.isAdmitted ? null :',
    '',
  ]),
  decision('checkStartRules', 'hours are not asked', ['if (hoursRefusal !== null)', 'if (false)']),
  decision('checkStartRules', 'the most of a batch is not asked', [
    'compareDecimals(total, batchLimits.batchMax) > 0',
    'false',
  ]),
  decision('checkStartRules', 'one approval is enough', [
    'approvals >= rules.approvals',
    'approvals >= Math.min(1, rules.approvals)',
  ]),
  decision('checkStartRules', 'a batch of small rows needs no approval', [
    'batchTotals === null && freeUpTo',
    'freeUpTo',
  ]),
  decision('limitsOf', 'a currency that is not named has no limits', [
    "refusal(`${direction}.currencies`, 'not_named', currency, namesText)",
    '{ operationMax: null, batchMax: null, freeUpTo: null }',
  ]),
  decision('checkHours', 'no time is any time', [
    'serviceMs === null || !Number.isFinite(serviceMs)',
    'false',
  ]),
  decision('isInHours', 'the last minute counts', ['time < to', 'time <= to']),
  sending('isPathOf', 'any path that begins like a row is that row', [
    'path === prefix + idText + suffix && isUuid(idText)',
    'path.startsWith(prefix)',
  ]),
  sending('sendingOf', 'a create of any amount is a question', ["money.amount === '0' &&", '']),
  sending('readMoney', 'a name twice is read as the last one', [
    "if (parsed.kind === 'damage')",
    'if (false)',
  ]),
  sending('readMoney', 'a name in capitals is another one', [
    'foldedName !== name && MONEY',
    'false && MONEY',
  ]),
  lock('tightestLock', 'a lock that is none is read-only', [
    "every((lock) => lock === 'read-only')",
    "every((lock) => lock !== 'sandbox')",
  ]),
  lock('tightestLock', 'the widest lock counts', ['locks.every(', 'locks.some(']),
  lock('tightestLock', 'an empty lock is none', ['value !== undefined', "(value ?? '') !== ''"]),
  policy('parsePolicy', 'a newer policy is read as far as it is known', [
    'version > POLICY_VERSION',
    'version > POLICY_VERSION + 7',
  ]),
  policy('parsePolicy', 'a policy of any size is read', ['bytes.length > POLICY_MAX_BYTES', 'false']),
  policy('READ_ONLY', 'a direction that is not named is open', ["allow: 'read'", "allow: 'all'"]),
  policy('rulesOf', 'nobody approves', ['approvals: approvals ?? 0', 'approvals: 0']),
  policy('rulesOf', 'no currency is any currency', [
    'currencies === undefined ? null',
    'limits.length < 3 ? null',
  ]),
  policy('problemsOf', 'a limit that is null is none', [", ...findNulls(value, '')", '']),
  policy('requireOrder', 'hours end before they begin', ['from < to ? []', 'from !== to ? []']),
  policy('atLeastOne', 'an empty list is any', ['value.length === 0', 'value.length > 99']),
  policy('byCurrency', 'anything is a currency', ['/^[A-Z]{3}$/.test(code)', 'code !== ""']),
  policy('isAddress', 'live requests go without encryption', [
    "text.startsWith('https:') ||",
    "text.startsWith('http') ||",
  ]),
  policy('readLifeMs', 'a plan lives for a year', ['ms <= VALID_FOR_MAX_MS', 'ms > 0']),
  plain('plainPolicy', 'a lock is not told', ["lock ?? 'none'", "'none'"]),
  plain('policySentences', 'what binds nobody is told as in force', ['state.binds', 'true']),
  list('signerLines', 'a key without namespaces signs nothing', [
    'namespaces === undefined ||',
    'namespaces === undefined ? false :',
  ]),
  list('signerLines', 'a comment is a signer', ["|| plain.startsWith('#')", '']),
  list('timeMs', 'a time without hours is none', [
    '(?:(\\d{2})(\\d{2})(\\d{2})?)?Z?$',
    '(\\d{2})(\\d{2})(\\d{2})?Z?$',
  ]),
];
