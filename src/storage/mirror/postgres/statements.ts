/** Each statement locks the company's row first, because two machines that read one feed could otherwise deadlock. */
import { preferredSql } from '../../../contract/operation-facts.js';
import type { ClusterSql } from '../../postgres/cluster.js';
import { DURABLE } from '../../postgres/sql.js';
import { BLOCK_ROWS } from '../mirror.js';
import { MIRROR_COLUMNS } from '../tables.js';
import { columnList, unnestParameters } from '../../tables/column-tables.js';
import { MIRROR_NAMES } from '../records.js';

const companyOfId = (id: string): string =>
  `(SELECT coalesce(n.same_as, n.company) FROM svc.companies n WHERE n.id = ${id})`;

const epoch = ({ cluster, timeline }: ClusterSql): string =>
  `c.company || '-' || c.epoch || '-' || ${cluster} || '-' || coalesce(${timeline}, 0)`;

export const COMPANY_BY_ID = `SELECT c.company, c.id, c.environment FROM svc.companies c WHERE c.company = ${companyOfId('$1')}`;

export const ENSURE_COMPANY =
  'INSERT INTO svc.companies (id, environment) VALUES ($1, $2) ON CONFLICT DO NOTHING';

export const COMPANY_BY_PLACE =
  'SELECT c.company, c.id, c.environment FROM svc.places p JOIN svc.companies c ON c.company = p.company ' +
  'WHERE p.environment = $1 AND p.origin = $2 AND p.key_print = $3';

export const CANDIDATES =
  'SELECT c.id, c.environment FROM svc.companies c WHERE c.environment = $1 AND c.same_as IS NULL AND c.newest_id IS NOT NULL ' +
  'ORDER BY EXISTS (SELECT FROM svc.places p WHERE p.company = c.company AND (p.key_print = $2 OR p.origin = $3)) DESC, c.company DESC LIMIT $4';

export const ADD_PLACE = `
INSERT INTO svc.places (environment, origin, key_print, company) SELECT $1, $2, $3, c.company FROM svc.companies c WHERE c.company = ${companyOfId('$4')}
ON CONFLICT DO NOTHING`;

export const SIZE = `SELECT count(*) AS size FROM svc.operations WHERE company = ${companyOfId('$1')}`;

const EMPTY_COLUMNS =
  'epoch = epoch + 1, reading = NULL, reading_sum = NULL, newest_id = NULL, newest_at = NULL';

/** The DELETE is a statement of its own, because it must see what others committed while the UPDATE waited. */
export function dropSql(company: number, condition = 'true'): string {
  const row = `c.company = ${company.toFixed()}`;
  return `
UPDATE svc.companies c SET ${EMPTY_COLUMNS} WHERE ${row} AND ${condition};
DELETE FROM svc.operations o USING svc.companies c WHERE ${row} AND o.company = c.company AND c.reading IS NULL AND c.newest_id IS NULL;`;
}

/** Both rows are locked in the order of their numbers, because two machines could otherwise deadlock. */
export function mergeSql(keptCompany: number, mergedCompany: number): string {
  const [kept, merged] = [keptCompany.toFixed(), mergedCompany.toFixed()];
  const isKept = `EXISTS (SELECT FROM svc.companies k WHERE k.company = ${kept} AND k.same_as IS NULL)`;
  return `
SELECT FROM svc.companies WHERE company IN (${kept}, ${merged}) ORDER BY company FOR UPDATE;
UPDATE svc.companies SET same_as = ${kept}, ${EMPTY_COLUMNS} WHERE (company = ${merged} OR same_as = ${merged}) AND ${isKept};
UPDATE svc.places p SET company = ${kept} FROM svc.companies c WHERE p.company = ${merged} AND c.company = ${merged} AND c.same_as = ${kept};
DELETE FROM svc.operations o USING svc.companies c WHERE o.company = ${merged} AND c.company = ${merged} AND c.same_as = ${kept};`;
}

export function readingSql(sql: ClusterSql): string {
  return `SELECT ${epoch(sql)} AS epoch, c.reading, c.reading_sum FROM svc.companies c WHERE c.company = ${companyOfId('$1')}`;
}

/** Must decide as `mergeOperations` does, because a payment that wrongly counts as failed is made again. */
const IS_TOLD = "'told' IN (o.ends, excluded.ends)";
const TAKES_NEW = `CASE WHEN ${IS_TOLD} THEN excluded.ends IS NOT DISTINCT FROM 'told' ELSE ${preferredSql('event_id', ' COLLATE "C"')} END`;
const ENDS = `CASE WHEN ${IS_TOLD} THEN 'told' WHEN 'both' IN (o.ends, excluded.ends) OR (o.status = 'failed') <> (excluded.status = 'failed') THEN 'both' END`;

function mergedColumn(name: (typeof MIRROR_NAMES)[number]): string {
  const value = `CASE WHEN ${TAKES_NEW} THEN excluded.${name} ELSE o.${name} END`;
  return `${name} = ${name === 'ends' ? ENDS : value}`;
}

/** The commit is durable, because a running svc would not read a page again after a database crash lost it. */
export function commitSql(sql: ClusterSql): string {
  const columns = columnList(MIRROR_NAMES);
  return `
WITH ${DURABLE},
me AS (
  UPDATE svc.companies c SET reading = $3, reading_sum = $4::bigint,
    newest_id = CASE WHEN c.newest_at >= $6::bigint THEN c.newest_id ELSE coalesce($5, c.newest_id) END,
    newest_at = greatest(c.newest_at, $6::bigint)
  WHERE c.company = ${companyOfId('$1')} AND ${epoch(sql)} = $2 AND EXISTS (SELECT FROM control) RETURNING c.company
),
kept AS (
  INSERT INTO svc.operations AS o (company, ${columns}) SELECT me.company, x.* FROM me CROSS JOIN unnest(${unnestParameters(MIRROR_COLUMNS, MIRROR_NAMES, 7)}) x
  ON CONFLICT (company, id_mark) DO UPDATE SET ${MIRROR_NAMES.map(mergedColumn).join(', ')}
  WHERE ${TAKES_NEW} OR ${ENDS} IS DISTINCT FROM o.ends
)
SELECT EXISTS (SELECT FROM me) AS done`;
}

const COLUMNS = columnList(MIRROR_NAMES, 'o');
const byMark = (mark: string): string => `
SELECT ${COLUMNS} FROM unnest($2::bytea[]) k(mark)
CROSS JOIN LATERAL (SELECT * FROM svc.operations i WHERE i.company = ${companyOfId('$1')} AND i.${mark} = k.mark OFFSET 0) o`;

export const BY_ID = byMark('id_mark');
export const BY_REFERENCE = byMark('reference_mark');

export const NEWEST = `SELECT c.newest_id, c.newest_at FROM svc.companies c WHERE c.company = ${companyOfId('$1')}`;

export function blockSql(sql: ClusterSql): string {
  return `
SELECT ${epoch(sql)} AS epoch, b.* FROM svc.companies c LEFT JOIN LATERAL (
  SELECT o.company AS owner, ${COLUMNS} FROM svc.operations o WHERE (o.company, o.id_mark) > (c.company, $2::bytea)
  ORDER BY o.company, o.id_mark LIMIT ${BLOCK_ROWS}
) b ON b.owner = c.company WHERE c.company = ${companyOfId('$1')}`;
}

const OPERATIONS_OF_COMPANY = `SELECT ${COLUMNS} FROM svc.operations o WHERE o.company = ${companyOfId('$1')}`;
const BEGINNING = 'left(o.id, 64) COLLATE "C"';

export const BY_BEGINNING = `${OPERATIONS_OF_COMPANY} AND ${BEGINNING} >= $2 AND ${BEGINNING} < $3 AND starts_with(o.id, $4) ORDER BY ${BEGINNING} LIMIT $5`;

export const BY_BANK =
  `${OPERATIONS_OF_COMPANY} AND o.bank_reference IS NOT NULL AND left(lower(o.bank_reference COLLATE "C"), 64) COLLATE "C" = left($2, 64) ` +
  'AND lower(o.bank_reference COLLATE "C") = $2 LIMIT $3';

export const LATEST =
  `${OPERATIONS_OF_COMPANY} AND o.occurred_at >= $2 AND o.occurred_at <= $3 AND ($4::text IS NULL OR o.direction = $4) AND ($5::text IS NULL OR o.status = $5) ` +
  'AND ($6::text IS NULL OR o.method = $6) ORDER BY o.occurred_at DESC LIMIT $7';
