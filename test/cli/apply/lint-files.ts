/** Reads, expands and checks texts as `millrace lint` does, without a server. */
import { checkRecords } from '../../../src/cli/apply/check.ts';
import { type Expanded, expandFiles } from '../../../src/cli/apply/expand.ts';
import { factsOf } from '../../../src/cli/apply/facts.ts';
import { readYaml } from '../../../src/cli/apply/read-yaml.ts';
import { Findings, findingLine } from '../../../src/cli/apply/source.ts';

export interface Linted {
  readonly expanded: Expanded;
  /** Without the name of the file: `3:9: error: …`. */
  readonly findings: readonly string[];
}

export function lintText(text: string | Uint8Array): Linted {
  const findings = new Findings();
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const documents = readYaml('file', bytes, findings);
  const expanded = expandFiles([{ file: 'file', folder: '/tmp', documents }], new Map(), findings);
  checkRecords(expanded.records, factsOf(expanded.records), findings);
  return { expanded, findings: findings.toArray().map((one) => findingLine(one).slice('file:'.length)) };
}
