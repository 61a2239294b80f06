/** What Prometheus's own tool says of metrics and rules (Debian's package prometheus). */
import { spawnSync } from 'node:child_process';
import { findProgram } from './services/find-program.ts';

/** Options for a test that needs it, as `needs` has them for services. */
export function needsPromtool(): { skip?: string } {
  if (findProgram('promtool') !== undefined) return {};
  return { skip: 'no promtool: apt-get install -y --no-install-recommends prometheus' };
}

/** Its complaints; empty when it has none. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(findProgram('promtool') ?? 'promtool', args, {
    input,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `it ended with ${status}`;
}
