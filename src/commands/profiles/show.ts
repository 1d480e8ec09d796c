/** `svc profiles show`: one profile, the active one unless named. */
import * as Args from '@oclif/core/args';
import { takes } from '../../cli/line/takes.js';
import type { Parsed } from '../../cli/command.js';
import { ProfileCommand, type Said } from './profile-command.js';
import type { ProfileStores } from '../../profile/profile-change.js';
import { showProfile } from '../../profile/profile-view.js';
import { readSettings } from '../../profile/settings-file.js';

export default class ProfilesShow extends ProfileCommand {
  static override readonly summary = 'Show a profile, the active one unless named; keys are masked.';
  static override readonly examples = ['svc profiles show', 'svc profiles show shop --jq .base_url'];
  static override readonly args = {
    name: Args.string({ description: 'The profile.', ignoreStdin: true, ...takes('profile') }),
  };
  static override readonly flags = {};

  protected override job({ args }: Parsed<typeof ProfilesShow>, { paths }: ProfileStores): Said {
    return { data: showProfile(readSettings(paths), args.name ?? null) };
  }
}
