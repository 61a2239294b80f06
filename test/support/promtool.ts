/** Checks metrics and rules with Prometheus's own tool (Debian's package prometheus). */
import { spawnSync } from 'node:child_process';
import { findProgram } from './services/find-program.ts';

/** Options for a test that needs it, as `needs` for services. */
export function needsPromtool(): { skip?: string } {
  if (findProgram('promtool') !== undefined) return {};
  return { skip: 'no promtool: apt-get install -y --no-install-recommends prometheus' };
}

/** Its output; empty if there are no problems. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(findProgram('promtool') ?? 'promtool', args, {
    input,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `it ended with ${status}`;
}
