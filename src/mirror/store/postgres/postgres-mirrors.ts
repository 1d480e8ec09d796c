/** All mirrors in the database that machines share: what one of them has read of a feed, and whose it is, the others know. */
import { type Environment, ENVIRONMENTS } from '../../../contract/access.js';
import type { Random } from '../../../runtime/random.js';
import { type ClusterSql, clusterSqlOf } from '../../../state/cluster.js';
import type { Connection } from '../../../state/connection.js';
import { openState, type StateOptions } from '../../../state/opening.js';
import type { Company, Mirror, Mirrors, Place } from '../../mirror.js';
import { postgresMirrorOf } from './postgres-mirror.js';
import { damagedMirror } from './records.js';
import {
  ADD_PLACE,
  CANDIDATES,
  COMPANY_BY_ID,
  COMPANY_BY_PLACE,
  dropping,
  ENSURE_COMPANY,
  merging,
} from './statements.js';

interface CompanyRow {
  readonly company: number;
  readonly id: string;
  readonly environment: string;
}

/** Nothing of the mirror is sealed, and a key that is another one is refused all the same. @throws Failure `local_state` where it can't be reached, or holds no tables that this program knows */
export async function openPostgresMirrors(
  options: StateOptions,
  random: Pick<Random, 'uuid'>,
): Promise<Mirrors> {
  const { connection, tables } = await openState(options);
  try {
    const sql = await clusterSqlOf(connection);
    return { keySalt: tables.key_salt, isShared: true, ...mirrorsOver(connection, random, sql) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function mirrorsOver(
  connection: Connection,
  random: Pick<Random, 'uuid'>,
  sql: ClusterSql,
): Omit<Mirrors, 'keySalt' | 'isShared'> {
  const one = async (text: string, ...values: readonly unknown[]): Promise<CompanyRow | null> =>
    (await connection.run<CompanyRow>(text, values)).rows[0] ?? null;
  const ofPlace = ({ environment, origin, keyPrint }: Place): Promise<CompanyRow | null> =>
    one(COMPANY_BY_PLACE, environment, origin, keyPrint);
  const addPlace = ({ environment, origin, keyPrint }: Place, id: string): Promise<unknown> =>
    connection.run(ADD_PLACE, [environment, origin, keyPrint, id]);
  const ensured = async ({ id, environment }: Company): Promise<CompanyRow> => {
    await connection.run(ENSURE_COMPANY, [id, environment]);
    return present(await one(COMPANY_BY_ID, id));
  };
  const of = (company: Company): Mirror => postgresMirrorOf(connection, company, sql);

  return {
    of,
    companyOf: async (place) => companyIn(await ofPlace(place)),
    companyById: async (id) => companyIn(await one(COMPANY_BY_ID, id)),
    candidates: async ({ environment, origin, keyPrint }, limit) => {
      const values = [environment, keyPrint, origin, limit];
      const { rows } = await connection.run<CompanyRow>(CANDIDATES, values);
      return rows.map((row) => companyIn(row));
    },
    begin: async (place) => {
      const there = companyIn(await ofPlace(place));
      if (there !== null) return there;
      const made = await ensured({ id: random.uuid(), environment: place.environment });
      // Of two machines that begin one, the place is had by the first.
      await addPlace(place, made.id);
      return companyIn(present(await ofPlace(place)));
    },
    learn: async (company, place) => {
      for (;;) {
        const meant = await ensured(company);
        await addPlace(place, meant.id);
        const seen = await ofPlace(place);
        // Forgotten meanwhile: once more.
        if (seen === null) continue;
        if (seen.company === meant.company) return;
        const sizes = [await of(companyIn(seen)).size(), await of(companyIn(meant)).size()];
        const [kept, other] = (sizes[0] ?? 0) > (sizes[1] ?? 0) ? [seen, meant] : [meant, seen];
        await connection.run(merging(kept.company, other.company));
      }
    },
    forgetPlace: async (environment, origin) => {
      const sql = 'SELECT DISTINCT company FROM svc.places WHERE environment = $1 AND origin = $2';
      const seen = (await connection.run<{ company: number }>(sql, [environment, origin])).rows;
      let dropped = 0;
      for (const { company } of seen) {
        const size = 'SELECT count(*) AS size FROM svc.operations WHERE company = $1';
        dropped += (await connection.run<{ size: number }>(size, [company])).rows[0]?.size ?? 0;
        await connection.run(dropping(company));
      }
      const forget = 'DELETE FROM svc.places WHERE environment = $1 AND origin = $2';
      await connection.run(forget, [environment, origin]);
      return dropped;
    },
    close: () => connection.close(),
  };
}

function companyIn(row: CompanyRow): Company;
function companyIn(row: CompanyRow | null): Company | null;
function companyIn(row: CompanyRow | null): Company | null {
  if (row === null) return null;
  const environment = ENVIRONMENTS.find((known: Environment) => known === row.environment);
  if (environment === undefined) throw damagedMirror('a company belongs to no environment');
  return { id: row.id, environment };
}

function present(row: CompanyRow | null): CompanyRow {
  if (row === null) throw damagedMirror('a company is gone');
  return row;
}
