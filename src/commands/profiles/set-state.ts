/** `svc profiles set-state`: says where the state of a profile is that machines share, and keeps its password. */
import { SvcCommand, type RunOf } from '../../cli/command.js';
import { stateFlags } from '../../cli/line/flags.js';
import { profileArgs, stateFromInput, withProfiles, type Said } from './profile-run.js';
import { setState } from '../../profile/profiles.js';
import type { ProfileStores } from '../../profile/settings-file.js';
import { Failure } from '../../runtime/failure.js';

export default class ProfilesSetState extends SvcCommand {
  static override readonly summary = 'Set the shared-state database of a profile, or "local" for files.';
  static override readonly examples = [
    'svc profiles set-state shop --state-url postgres://worker@db.example.com/pay',
    'svc profiles set-state shop --state-url postgres://worker@db.example.com/pay --state-password-stdin < password.txt',
  ];
  static override readonly needs = ['state-url'];
  static override readonly namesGlobal = ['state-url'] as const;
  static override readonly heeds = ['state-url'] as const;
  static override readonly args = profileArgs;
  static override readonly flags = stateFlags;

  async run(): Promise<void> {
    const run = await this.line(ProfilesSetState);
    await withProfiles(run, (stores) => keepState(run, stores));
  }
}

async function keepState(
  { args, flags, ports }: RunOf<typeof ProfilesSetState>,
  stores: ProfileStores,
): Promise<Said> {
  const given = await stateFromInput(ports, flags);
  if (given.url === null && given.password === null)
    throw new Failure('usage', 'Add --state-url URL, or --state-password-stdin.');
  const { profile, note } = await setState(stores, args.name, given);
  return { data: profile, note };
}
