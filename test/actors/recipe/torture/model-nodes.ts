/** What the plain model of a recipe consists of. */
import type { NodeOfType, TypeSpec } from './specs.ts';

/** Files by what identifies them to the test. */
export interface ModelData {
  readonly files: Record<string, readonly string[]>;
  readonly json: Record<string, number>;
}

export interface ModelJob {
  readonly kind: 'job';
  status: string;
  exeNum: number;
  maxTries: number;
  input: ModelData | null;
  output: ModelData | null;
}
export interface ModelCondition {
  readonly kind: 'condition';
  isProcessed: boolean;
  isAccepted: boolean;
  data: ModelData | null;
}
export type ModelNode = ModelJob | ModelCondition | ModelRecipe;

export interface ModelRecipe {
  readonly kind: 'recipe';
  readonly type: TypeSpec;
  readonly nodes: Map<string, ModelNode>;
  input: ModelData | null;
  isComplete: boolean;
}

export function newNode(spec: NodeOfType): ModelNode {
  if (spec.kind === 'job')
    return { kind: 'job', status: 'PENDING', exeNum: 0, maxTries: spec.maxTries, input: null, output: null };
  if (spec.kind === 'condition')
    return { kind: 'condition', isProcessed: false, isAccepted: false, data: null };
  return {
    kind: 'recipe',
    type: spec.sub as TypeSpec,
    nodes: new Map(),
    input: null,
    isComplete: false,
  };
}
