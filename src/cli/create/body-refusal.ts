/** The refusal of a body that is not right: all that is wrong with it, a line a field, with an example and the flag that sets it. */
import { flagNameOf } from '../../contract/body-fields.js';
import { type Capabilities, NO_CATALOG } from '../../contract/catalog.js';
import { checkWithoutCatalog } from '../../contract/create.js';
import {
  allDetails,
  fieldsBeside,
  type Hint,
  hintFor,
  unknownFieldText,
} from '../../contract/create-details.js';
import type { Detail, ErrorCode } from '../../contract/errors.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { referenceProblem } from '../../contract/reference.js';
import { Failure, type FailureDetail } from '../../runtime/failure.js';

type CreateBody = Readonly<Record<string, unknown>>;

/** A body, and what the catalog says of it; null where none could be had. */
interface Judged {
  readonly body: CreateBody;
  readonly direction: Direction;
  readonly capabilities: Capabilities | null;
  /** Written for `svc api`, which has no flags for its members. */
  readonly isByHand?: boolean;
}

/** What the catalog finds, and what is known already: one detail a field. */
export function everyDetail({ body, direction, capabilities }: Judged, found: readonly Detail[]): Detail[] {
  const judged =
    capabilities === null ? checkWithoutCatalog(direction, body) : allDetails(capabilities, direction, body);
  const all = [...judged, ...found];
  return all.filter(
    (detail, at) =>
      all.findIndex(({ field }) => field === detail.field) === at &&
      !all.some((other) => says(other, detail)),
  );
}

/** Whether a detail says what another one says already: a gap by its parts, the parts of what is unknown by the whole. */
function says(other: Detail, { field, code }: Detail): boolean {
  if (code === 'required') return other.code === 'required' && other.field.startsWith(`${field}.`);
  return code === 'unknown' && other.code === 'unknown' && field.startsWith(`${other.field}.`);
}

/** True for what a dialogue asks for: a gap, and a value of the amount or of the counterparty. */
export function isAskable({ field, code }: FailureDetail, direction: Direction): boolean {
  if (code === 'required') return true;
  return code === 'invalid' && (field === 'amount' || field.startsWith(`${partyOf(direction)}.`));
}

/** @param code what the service would answer */
export function bodyRefusal(code: ErrorCode, details: readonly Detail[], judged: Judged): Failure {
  const noun = judged.direction === 'payin' ? 'pay-in' : 'payout';
  const count = details.length === 1 ? '1 problem' : `${String(details.length)} problems`;
  const listed = new Set<string>();
  const problems = details.map((detail) => problemOf(detail, judged, listed));
  return new Failure('usage', `This ${noun} has ${count}. Nothing was sent.`, {
    code,
    details: problems.map(({ detail }) => detail),
    items: problems.map(({ line }) => line),
  });
}

/** @param listed parents whose known fields were said */
function problemOf(
  { field, code }: Detail,
  { body, direction, capabilities: known, isByHand = false }: Judged,
  listed: Set<string>,
): { readonly line: string; readonly detail: FailureDetail } {
  const capabilities = known ?? NO_CATALOG;
  if (code === 'unknown') {
    const beside = fieldsBeside(field, capabilities, direction, body);
    const hint = beside.length === 0 ? null : `Known fields: ${beside.join(', ')}`;
    return {
      line: unknownFieldText(field, beside, listed),
      detail: { field, code, more: { hint, example: null, flag: null } },
    };
  }
  const hint = hintFor(field, capabilities, direction, body);
  const { use, example } = hint;
  const flag = isByHand ? null : flagOf(field, direction);
  return {
    line: `${field} ${whatIsWrong(field, code, body)}${wayOut(hint)}${flag === null ? '' : ` (${flag})`}`,
    detail: { field, code, more: { hint: use === null ? null : `Use ${use}`, example, flag } },
  };
}

/** Values that say nothing of a person. */
const SHOWN = ['amount', 'country', 'currency', 'method', 'purpose', 'expires_in_hours'];

function whatIsWrong(field: string, code: Detail['code'], body: CreateBody): string {
  if (code === 'required') return 'is missing';
  const value = body[field];
  if (field === 'reference' && typeof value === 'string') return referenceProblem(value) ?? 'is not valid';
  const isShown = SHOWN.includes(field) && (typeof value === 'string' || typeof value === 'number');
  return isShown && String(value).length <= 40 ? `${JSON.stringify(value)} is not valid` : 'is not valid';
}

function wayOut({ use, example }: Hint): string {
  if (use === null) return example === null ? '' : `. Example: ${example}`;
  const isListed = example === null || use.split(/, | or /).includes(example);
  return `. Use ${use}${isListed ? '' : `, for example ${example}`}`;
}

/** How the field is given on the command line. */
function flagOf(field: string, direction: Direction): string {
  const [top = '', ...rest] = field.split('.');
  const flag = `--${flagNameOf(top)}`;
  if (rest.length > 0) return `${flag} ${rest.join('.')}=VALUE`;
  return top === partyOf(direction) ? `${flag} PATH=VALUE` : flag;
}
