/** Documents inside bodies: accepted, or refused with every problem at its path in the body. */
import { AppError } from '../../domain/errors.ts';
import { type Checked, IssueList, type Problem, problemSentence } from '../../domain/validation.ts';
import type { Findings } from '../../http/route.ts';

/**
 * The value of a valid configuration. Else throws INVALID_CONFIGURATION; the paths of its `errors` begin with `field`.
 */
export function acceptedConfiguration<T>(checked: Checked<T>, field = 'configuration'): T {
  if (checked.ok) return checked.value;
  const errors = below(field, checked).errors;
  throw invalidConfiguration(errors);
}

export function invalidConfiguration(errors: readonly Problem[]): AppError {
  return new AppError('INVALID_CONFIGURATION', problemSentence(errors), { errors });
}

/** Problems of the document in `field` as problems of the body. */
export function below(
  field: string,
  found: { readonly errors?: readonly Problem[]; readonly warnings: readonly Problem[] },
): Findings {
  const issues = new IssueList();
  issues.include(field, found);
  return { errors: issues.errors, warnings: issues.warnings };
}
