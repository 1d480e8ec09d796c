/** `svc profiles show`: one profile, the active one unless named. */
import * as Args from '@oclif/core/args';
import { takes } from '../../cli/line/flags.js';
import { SvcCommand } from '../../cli/command.js';
import { withProfiles } from './profile-run.js';
import { showProfile } from '../../profile/profile-view.js';
import { readSettings } from '../../profile/settings-file.js';

export default class ProfilesShow extends SvcCommand {
  static override readonly summary = 'Show a profile, or the active one; keys are masked.';
  static override readonly examples = ['svc profiles show', 'svc profiles show shop --jq .base_url'];
  static override readonly heeds = [] as const;
  static override readonly args = {
    name: Args.string({ description: 'Name of the profile', ignoreStdin: true, ...takes('profile') }),
  };
  static override readonly flags = {};

  async run(): Promise<void> {
    const run = await this.line(ProfilesShow);
    await withProfiles(run, ({ paths }) => ({
      data: showProfile(readSettings(paths), run.args.name ?? null),
    }));
  }
}
