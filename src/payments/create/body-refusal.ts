import { flagNameOf } from '../../contract/body-fields.js';
import { type Capabilities, NO_CATALOG } from '../../contract/catalog.js';
import { checkWithoutCatalog } from '../../contract/create.js';
import {
  allDetails,
  siblingFields,
  type Hint,
  hintFor,
  unknownFieldText,
} from '../../contract/create-details.js';
import type { Detail, ErrorCode } from '../../contract/errors.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { referenceProblem } from '../../contract/reference.js';
import { Failure, type FailureDetail } from '../../runtime/failure.js';

type CreateBody = Readonly<Record<string, unknown>>;

interface CheckedBody {
  readonly body: CreateBody;
  readonly direction: Direction;
  readonly capabilities: Capabilities | null;
  readonly isApiBody?: boolean;
}

export function mergeDetails(
  { body, direction, capabilities }: CheckedBody,
  knownDetails: readonly Detail[],
): Detail[] {
  const catalogDetails =
    capabilities === null ? checkWithoutCatalog(direction, body) : allDetails(capabilities, direction, body);
  const mergedDetails = [...catalogDetails, ...knownDetails];
  return mergedDetails.filter(
    (detail, at) =>
      mergedDetails.findIndex(({ field }) => field === detail.field) === at &&
      !mergedDetails.some((other) => isImpliedBy(detail, other)),
  );
}

function isImpliedBy({ field, code }: Detail, other: Detail): boolean {
  if (code === 'required') return other.code === 'required' && other.field.startsWith(`${field}.`);
  return code === 'unknown' && other.code === 'unknown' && field.startsWith(`${other.field}.`);
}

export function isAskable({ field, code }: FailureDetail, direction: Direction): boolean {
  if (code === 'required') return true;
  return code === 'invalid' && (field === 'amount' || field.startsWith(`${partyOf(direction)}.`));
}

export function bodyRefusal(code: ErrorCode, details: readonly Detail[], checkedBody: CheckedBody): Failure {
  const noun = checkedBody.direction === 'payin' ? 'pay-in' : 'payout';
  const count = details.length === 1 ? '1 problem' : `${String(details.length)} problems`;
  const listedParents = new Set<string>();
  const problems = details.map((detail) => problemOf(detail, checkedBody, listedParents));
  return new Failure('usage', `This ${noun} has ${count}. Nothing was sent.`, {
    code,
    details: problems.map(({ detail }) => detail),
    items: problems.map(({ line }) => line),
  });
}

function problemOf(
  { field, code }: Detail,
  { body, direction, capabilities: catalog, isApiBody = false }: CheckedBody,
  listedParents: Set<string>,
): { readonly line: string; readonly detail: FailureDetail } {
  const capabilities = catalog ?? NO_CATALOG;
  if (code === 'unknown') {
    const siblings = siblingFields(field, capabilities, direction, body);
    const hint = siblings.length === 0 ? null : `Known fields: ${siblings.join(', ')}`;
    return {
      line: unknownFieldText(field, siblings, listedParents),
      detail: { field, code, extraMembers: { hint, example: null, flag: null } },
    };
  }
  const hint = hintFor(field, capabilities, direction, body);
  const { use, example } = hint;
  const flag = isApiBody ? null : flagOf(field, direction);
  return {
    line: `${field} ${problemText(field, code, body)}${remedyText(hint)}${flag === null ? '' : ` (${flag})`}`,
    detail: { field, code, extraMembers: { hint: use === null ? null : `Use ${use}`, example, flag } },
  };
}

/** A refusal may print the values of these fields, because they say nothing about a person. */
const SHOWN_FIELDS = ['amount', 'country', 'currency', 'method', 'purpose', 'expires_in_hours'];

function problemText(field: string, code: Detail['code'], body: CreateBody): string {
  if (code === 'required') return 'is missing';
  const value = body[field];
  if (field === 'reference' && typeof value === 'string') return referenceProblem(value) ?? 'is not valid';
  const isShown = SHOWN_FIELDS.includes(field) && (typeof value === 'string' || typeof value === 'number');
  return isShown && String(value).length <= 40 ? `${JSON.stringify(value)} is not valid` : 'is not valid';
}

function remedyText({ use, example }: Hint): string {
  if (use === null) return example === null ? '' : `. Example: ${example}`;
  const isListed = example === null || use.split(/, | or /).includes(example);
  return `. Use ${use}${isListed ? '' : `, for example ${example}`}`;
}

function flagOf(field: string, direction: Direction): string {
  const [topField = '', ...subfields] = field.split('.');
  const flag = `--${flagNameOf(topField)}`;
  if (subfields.length > 0) return `${flag} ${subfields.join('.')}=VALUE`;
  return topField === partyOf(direction) ? `${flag} PATH=VALUE` : flag;
}
