import { bulk } from './bulk.js';
import { certify } from './certify.js';
import { cli } from './cli.js';
import { client } from './client.js';
import { commands } from './commands.js';
import { contract } from './contract.js';
import { events } from './events.js';
import { guard } from './guard.js';
import { guardPlan } from './guard-plan.js';
import { journal } from './journal.js';
import { mirror } from './mirror.js';
import { output } from './output.js';
import { page } from './page.js';
import { profile } from './profile.js';
import { prompt } from './prompt.js';
import { reconcile } from './reconcile.js';
import { runtime } from './runtime.js';
import { sandbox } from './sandbox.js';
import { schema } from './schema.js';
import { state } from './state.js';
import { testing } from './testing.js';
import { webhook } from './webhook.js';

/** @type {readonly import('./mutant.js').Mutant[]} */
export const MUTANTS = [
  ...contract,
  ...runtime,
  ...client,
  ...profile,
  ...output,
  ...prompt,
  ...sandbox,
  ...page,
  ...schema,
  ...state,
  ...webhook,
  ...events,
  ...reconcile,
  ...journal,
  ...mirror,
  ...bulk,
  ...certify,
  ...guard,
  ...guardPlan,
  ...cli,
  ...commands,
  ...testing,
];
