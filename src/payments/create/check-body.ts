import { type Capabilities, completeDefaults, type Defaults, NO_CATALOG } from '../../contract/catalog.js';
import { checkCreate } from '../../contract/create.js';
import type { Detail, ErrorCode } from '../../contract/errors.js';
import { memberAt } from '../../contract/json.js';
import { LIMITS } from '../../contract/limits.js';
import type { Direction } from '../../contract/operation.js';
import { referenceProblem } from '../../contract/reference.js';
import type { Failure } from '../../runtime/failure.js';
import { assignment, type BuiltBody, type BodyDraft } from '../body-flags.js';
import type { CatalogSource } from '../../session/catalog.js';

export async function withDefaults(
  draft: BodyDraft,
  defaults: Defaults,
  direction: Direction,
  catalog: CatalogSource,
): Promise<BodyDraft> {
  const country = draft.text('country') ?? defaults.country;
  const currency = draft.text('currency') ?? defaults.currency;
  const isComplete = country !== undefined && currency !== undefined;
  const capabilities = (isComplete ? null : await catalog.get()) ?? NO_CATALOG;
  const method = draft.text('method');
  const values = completeDefaults(capabilities, direction, { country, currency, method });
  const missingNames = (['country', 'currency'] as const).filter((name) => !draft.has(name));
  return draft.assigned(missingNames.flatMap((name) => assignment(`--${name}`, name, values[name])));
}

export type BodyCheck =
  | { readonly kind: 'fits'; readonly isCatalogChecked: boolean }
  | { readonly kind: 'refused'; readonly refusal: Failure; readonly isMendable: boolean };

export async function checkBody(
  body: BuiltBody,
  direction: Direction,
  catalog: CatalogSource,
): Promise<BodyCheck> {
  const extraDetails = checkReferenceAndMetadata(body);
  const cached = await catalog.get();
  if (extraDetails.length === 0 && cached !== null && refusalOf(cached, body, direction) === null)
    return { kind: 'fits', isCatalogChecked: true };
  const capabilities = await catalog.refresh();
  const refusal = capabilities === null ? null : refusalOf(capabilities, body, direction);
  const { bodyRefusal, mergeDetails, isAskable } = await import('./body-refusal.js');
  const checkedBody = { body: body.members, direction, capabilities };
  const isJudged = refusal !== null || capabilities === null;
  const details = isJudged
    ? mergeDetails(checkedBody, [...(refusal?.details ?? []), ...extraDetails])
    : extraDetails;
  if (details.length === 0) return { kind: 'fits', isCatalogChecked: capabilities !== null };
  const isFieldMissing = details.some(({ code }) => code === 'required');
  return {
    kind: 'refused',
    refusal: bodyRefusal(
      refusal?.code ?? (isFieldMissing ? 'field_required' : 'field_invalid'),
      details,
      checkedBody,
    ),
    isMendable: isFieldMissing && details.every((one) => isAskable(one, direction)),
  };
}

function refusalOf(
  capabilities: Capabilities,
  { members }: BuiltBody,
  direction: Direction,
): { readonly code: ErrorCode; readonly details: readonly Detail[] } | null {
  const verdict = checkCreate(capabilities, direction, members);
  if (!('refusal' in verdict) || verdict.refusal === 'temporarily_unavailable') return null;
  return { code: verdict.refusal, details: verdict.details ?? [] };
}

function checkReferenceAndMetadata({ bytes, members: { reference } }: BuiltBody): Detail[] {
  const metadata = memberAt(bytes, 'metadata');
  const isLarge = metadata !== null && metadata.end - metadata.start > LIMITS.metadataMaxBytes;
  return [
    ...(typeof reference === 'string' && referenceProblem(reference) !== null
      ? [{ field: 'reference', code: 'invalid' as const }]
      : []),
    ...(isLarge ? [{ field: 'metadata', code: 'invalid' as const }] : []),
  ];
}

export async function refuseUnaskable(
  body: BuiltBody,
  direction: Direction,
  catalog: CatalogSource,
): Promise<void> {
  const { bodyRefusal, mergeDetails, isAskable } = await import('./body-refusal.js');
  const extraDetails = checkReferenceAndMetadata(body);
  const detailsWith = (capabilities: Capabilities | null): Detail[] =>
    mergeDetails({ body: body.members, direction, capabilities }, extraDetails);
  const isMendable = (capabilities: Capabilities | null): boolean =>
    detailsWith(capabilities).every((detail) => isAskable(detail, direction));
  const cached = await catalog.get();
  if (isMendable(cached)) return;
  const capabilities = await catalog.refresh();
  if (isMendable(capabilities)) return;
  const checkedBody = { body: body.members, direction, capabilities };
  throw bodyRefusal('field_invalid', detailsWith(capabilities), checkedBody);
}

export async function requireContract(body: BuiltBody, direction: Direction): Promise<void> {
  const { bodyRefusal, mergeDetails } = await import('./body-refusal.js');
  const checkedBody = { body: body.members, direction, capabilities: null, isApiBody: true };
  const details = mergeDetails(checkedBody, checkReferenceAndMetadata(body)).filter(
    ({ code }) => code !== 'required',
  );
  if (details.length > 0) throw bodyRefusal('field_invalid', details, checkedBody);
}
