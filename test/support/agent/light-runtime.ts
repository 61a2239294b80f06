/** The light runtime of this source, built where agents of this source look for it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findNativeProgram } from '../../../node-agent/executor/native-programs.ts';
import { buildNativeProgram } from '../../../scripts/build/native-programs.ts';

const DIST = join(import.meta.dirname, '../../../dist');

/** Options for `t.test` that skip a test without a compiler. */
export function lightRuntime(): { skip?: string } {
  mkdirSync(DIST, { recursive: true });
  for (const name of ['container', 'filter'] as const) {
    if (findNativeProgram(name) === undefined && buildNativeProgram(DIST, name) === undefined)
      return { skip: 'not run: there is no compiler' };
  }
  return {};
}
