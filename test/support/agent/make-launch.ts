/** Launches whose fields have plain values, except those that the test gives. */
import { createHash } from 'node:crypto';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { Launch, WorkspaceRef } from '../../../src/domain/node/coordinator-messages.ts';

type Job = Manifest['job'];

export interface LaunchParts {
  readonly command?: string;
  readonly interface?: Partial<Job['interface']>;
  readonly errors?: Job['errors'];
  readonly launch?: Partial<Launch>;
}

export function makeLaunch(executionId: number, parts: LaunchParts = {}): Launch {
  const manifest: Manifest = {
    seedVersion: '1.0.0',
    job: {
      name: 'probe',
      jobVersion: '1.0.0',
      packageVersion: '1.0.0',
      title: 'Probe',
      description: '',
      tags: [],
      maintainer: { name: 'n', email: 'e@example.org' },
      timeout: 3600,
      resources: {
        scalar: [
          { name: 'cpus', value: 1 },
          { name: 'mem', value: 128 },
        ],
      },
      interface: {
        command: parts.command ?? 'true',
        inputs: { files: [], json: [] },
        outputs: { files: [], json: [] },
        mounts: [],
        settings: [],
        ...parts.interface,
      },
      errors: parts.errors ?? [],
    },
  };
  return {
    type: 'launch',
    executionId,
    jobId: executionId * 10,
    exeNum: 1,
    owner: `job/${executionId * 10}`,
    jobTypeName: 'probe',
    jobTypeVersion: '1.0.0',
    containerImage: 'process:default',
    manifest: JSON.stringify(manifest),
    inputs: [],
    jsonInputs: '{}',
    settings: [],
    mounts: '{}',
    resources: { cpus: 1, mem: 128, disk: 10, gpus: 0 },
    inputMib: 0,
    outputs: [],
    productDirectory: `jobs/probe/1.0.0/job_exe_${executionId}`,
    workspaces: [],
    timeoutS: 0,
    environment: {},
    inputMetadata: '',
    isSystem: false,
    ...parts.launch,
  };
}

/** A command that runs a shell script given as one word. */
export function shell(script: string): string {
  return `/bin/sh -c '${script.replaceAll("'", `'"'"'`)}'`;
}

export function outputFile(
  name: string,
  pattern: string,
  more: object = {},
): Job['interface']['outputs']['files'][number] {
  return { name, pattern, multiple: false, required: true, ...more };
}

export function hostWorkspace(root: string, uuid = '11111111-2222-3333-4444-555555555555'): WorkspaceRef {
  return {
    uuid,
    name: 'products',
    configuration: JSON.stringify({ broker: { type: 'host', host_path: root } }),
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
