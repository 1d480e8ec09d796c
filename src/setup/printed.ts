import { ENVIRONMENTS } from '../contract/access.js';
import { OUTCOME_STATUSES } from '../certify/report/report.js';
import type { Hours } from '../session/guard/hours.js';
import { DAYS } from '../runtime/time-zone.js';
import type { CheckUpLine } from './doctor/view.js';
import type { KeyView, ProfileView } from '../session/profile-view.js';
import { REFERENCE_MEANINGS } from '../session/settings.js';
import { arrayOf, type JsonSchema, everyOf, nullOr, ref } from '../contract/openapi/json-schema.js';
import type { OwnShapeName } from '../command/shape-names.js';
import type { MadeTables } from '../storage/postgres/make-tables.js';
import {
  describe,
  amountOrNull,
  recordOf,
  count,
  environment,
  flag,
  oneOf,
  oneOfOrNull,
  text,
  textOrNull,
} from '../contract/openapi/words.js';

const key = nullOr(everyOf<KeyView>({ key: describe('Masked', text), stored: oneOf(['keystore', 'file']) }));
const KEYS = Object.fromEntries(ENVIRONMENTS.map((name) => [name, key]));

const status = oneOf(['ok', 'warning', 'error']);

const hours = nullOr(everyOf<Hours>({ timezone: text, days: arrayOf(oneOf(DAYS)), from: text, to: text }));
const LIMITS = { operation_max: amountOrNull, batch_max: amountOrNull };
const limitsOf = (more: JsonSchema): JsonSchema => nullOr(recordOf(everyOf({ ...LIMITS, ...more })));
const RULES = { allow: oneOf(['read', 'cancel', 'all']), methods: nullOr(arrayOf(text)), hours };
const PAYINS = { ...RULES, currencies: limitsOf({}) };
const PAYOUTS = { ...RULES, currencies: limitsOf({ free_up_to: amountOrNull }), approvals: count };
const POLICY = {
  ...{ version: count, contact: textOrNull, addresses: nullOr(arrayOf(text)) },
  payouts: everyOf(PAYOUTS),
  payins: everyOf(PAYINS),
  approvals: everyOf({ signers: text, valid_for: text }),
  webhooks: oneOf(['none', 'register']),
};
const policy = describe('Null where there is none', nullOr(ref('Policy')));

const STATE = { url: describe('Without its password', text), schema_version: count, environment } as const;

const CASE = { id: text, exam: oneOf(['receiver', 'client']), severity: oneOf(['must', 'should']) };
const OUTCOME = {
  ...{ id: text, severity: CASE.severity, status: oneOf(OUTCOME_STATUSES), rule: textOrNull },
  section: describe('Of the contract; empty where it is in none', text),
  why: textOrNull,
  and_so: describe('The case or rule that explains it', textOrNull),
  requests: arrayOf(count),
  repeat: describe('The line that runs this case alone', textOrNull),
};

export const MACHINE_SHAPES = {
  Profile: everyOf<ProfileView>({
    ...{ name: text, active: flag, base_url: text, country: textOrNull, currency: textOrNull },
    ...{ insecure_loopback: flag, references: oneOf(REFERENCE_MEANINGS) },
    state: describe('Where the shared state is, without its password', textOrNull),
    keys: everyOf(KEYS),
  }),
  ProfileList: everyOf({ profiles: arrayOf(ref('Profile')) }),
  Policy: everyOf(POLICY),
  PolicyInForce: everyOf({
    state: oneOf(['none', 'in_force', 'unusable']),
    file: text,
    code: oneOfOrNull(['policy_untrusted', 'policy_unreadable', 'policy_newer']),
    why: textOrNull,
    binds: describe('False for root, whom nothing binds', flag),
    policy,
    lock: oneOfOrNull(['sandbox', 'read-only']),
  }),
  PolicyChecked: everyOf({ file: text, policy, signers: textOrNull }),
  CheckUp: everyOf({
    checks: arrayOf(
      everyOf<CheckUpLine>({
        ...{ check: text, status, message: text },
        fix: describe('A line that mends it', textOrNull),
      }),
    ),
  }),
  StateMade: everyOf<MadeTables & { url: string }>({
    ...STATE,
    created: describe('False where the tables were there', flag),
    granted: arrayOf(text),
  }),
  StateStatus: everyOf({
    ...STATE,
    reachable_ms: { type: 'number' },
    checks: arrayOf(everyOf({ check: text, ok: flag, status, detail: text })),
  }),
  ExamCases: arrayOf(everyOf({ ...CASE, section: text, title: text })),
  ExamReport: everyOf({
    exam: CASE.exam,
    passed: flag,
    command: describe('The words of the command that was examined', nullOr(arrayOf(text))),
    clean: describe('What the clean runs showed', { type: ['object', 'null'] }),
    left_out: arrayOf(text),
    cases: arrayOf(everyOf(OUTCOME)),
  }),
  OpenApi: everyOf({ openapi: text, info: {}, paths: {}, components: {} }),
  JsonSchema: everyOf({ $schema: text }),
  Commands: everyOf({
    ...{ svc: describe('The version', text), exit_codes: arrayOf({ type: 'object' }), forms: recordOf(text) },
    ...{ error: { type: 'object' }, schemas: { type: 'object' } },
    ...{ global_flags: arrayOf({ type: 'object' }), commands: arrayOf({ type: 'object' }) },
  }),
} satisfies Partial<Readonly<Record<OwnShapeName, JsonSchema>>>;
