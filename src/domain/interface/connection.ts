/**
 * Checks whether the outputs of one interface can feed the inputs of another, parameter by parameter (by name). A node
 * runs once, so several files arrive together, in one parameter with `multiple`.
 */
import { type Checked, IssueList } from '../validation.ts';
import { type FileParameter, type Interface, type Parameter, parametersOf } from './interface.ts';

/** Checks that `supplied` feeds `receiving`. The path of a problem is the receiving parameter's name. */
export function validateConnection(supplied: Interface, receiving: Interface): Checked<true> {
  const issues = new IssueList();
  const sources = parametersOf(supplied);
  for (const [name, parameter] of parametersOf(receiving)) {
    const source = sources.get(name);
    if (source !== undefined) checkPair(issues, source, parameter);
    else if (parameter.required) {
      issues.error('PARAM_REQUIRED', name, `the required input '${name}' is not supplied`);
    }
  }
  return issues.finish(() => true);
}

function checkPair(issues: IssueList, source: Parameter, target: Parameter): void {
  const { name } = target;
  if (source.kind !== target.kind) {
    const [given, taken] = [kindName(source), kindName(target)];
    issues.error('MISMATCHED_PARAM_TYPE', name, `the input '${name}' takes ${taken}, but is fed ${given}`);
    return;
  }
  if (target.required && !source.required) {
    const text = `the required input '${name}' is fed by something that may be absent`;
    issues.error('PARAM_REQUIRED', name, text);
  }
  if (source.kind === 'file' && target.kind === 'file') checkFiles(issues, source, target);
  if (source.kind === 'json' && target.kind === 'json' && source.type !== target.type) {
    const text = `the input '${name}' takes type '${target.type}', but is fed type '${source.type}'`;
    issues.error('MISMATCHED_JSON_TYPE', name, text);
  }
}

function checkFiles(issues: IssueList, source: FileParameter, target: FileParameter): void {
  const { name } = target;
  if (source.multiple && !target.multiple) {
    const text = `the input '${name}' takes one file, but may be fed several`;
    issues.error('NO_MULTIPLE_FILES', name, text);
  }
  if (target.media_types.length === 0) return;
  const others = source.media_types.filter((type) => !target.media_types.includes(type));
  if (others.length === 0) return;
  const text = `the input '${name}' does not list the media types ${others.join(', ')} that it is fed`;
  issues.warning('MISMATCHED_MEDIA_TYPES', name, text);
}

function kindName(parameter: Parameter): string {
  return parameter.kind === 'file' ? 'files' : 'a JSON value';
}
