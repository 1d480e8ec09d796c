import { SavedPosition, FollowerState } from '../../../src/events/service/follower-state.js';
import { watchFollower } from '../../../src/events/service/watch.js';
import { manualClock } from '../../feed/manual-clock.js';

export function watched(tell: (what: string) => void = () => undefined) {
  const clock = manualClock();
  const clocks = {
    monotonic: () => clock.monotonic(),
    now: () => clock.now(),
    serviceNow: () => clock.now(),
  };
  const place = new SavedPosition(clocks);
  const standing = new FollowerState(clocks, place);
  return { clock, place, standing, watch: watchFollower(standing, place, tell) };
}
