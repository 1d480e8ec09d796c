/** `svc certify`: exams of the integrator's own code, the one that receives and the one that pays. */
import * as Args from '@oclif/core/args';
import { command } from '../cli/command.js';

export const CERTIFY = {
  list: command({
    summary: 'List every case of the exams, with its section of the contract.',
    examples: ['svc certify list', "svc certify list receiver --jq '.[].id'"],
    heeds: [],
    args: {
      exam: Args.string({ description: 'receiver', options: ['receiver'], ignoreStdin: true }),
    },
    run: async ({ ports, flags, args }) =>
      (await import('./certify/list.js')).listCases(ports, flags, args.exam),
  }),
};
