/** The identity that an OpenID provider asserts, and the account that follows from it. */
import { AppError } from './errors.ts';

/** A claim that must equal, or contain, a value: `groups=millrace-staff`. */
export interface ClaimRule {
  readonly claim: string;
  readonly value: string;
}

export interface IdentityRules {
  /** Who may log in; absent: everybody with an account at the provider. */
  readonly allow?: ClaimRule;
  /** Who is staff; absent: the provider does not decide this. */
  readonly staff?: ClaimRule;
}

export interface Identity {
  readonly issuer: string;
  /** The provider's identifier of the person, which never changes. */
  readonly subject: string;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** Undefined: the provider does not decide this. */
  readonly isStaff: boolean | undefined;
}

const ISSUER_CHARS_MAX = 500;
const SUBJECT_CHARS_MAX = 255;
const NAME_CHARS_MAX = 150;
const EMAIL_CHARS_MAX = 254;

type Claims = Readonly<Record<string, unknown>>;

export function parseClaimRule(text: string): ClaimRule | undefined {
  const [, claim, value] = /^([A-Za-z0-9_.:/-]{1,100})=(.{1,200})$/.exec(text) ?? [];
  return claim === undefined || value === undefined ? undefined : { claim, value };
}

/**
 * Reads the claims of a checked ID token. Throws AppError FORBIDDEN for a person who may not log in, or whose claims
 * are incomplete.
 */
export function readIdentity(claims: Claims, rules: IdentityRules): Identity {
  const issuer = textOf(claims.iss, ISSUER_CHARS_MAX);
  const subject = textOf(claims.sub, SUBJECT_CHARS_MAX);
  if (issuer === '' || subject === '')
    throw new AppError('FORBIDDEN', 'the provider does not say who this is');
  if (rules.allow !== undefined && !holds(claims, rules.allow)) {
    throw new AppError('FORBIDDEN', 'this account of the provider may not log in here');
  }
  return {
    ...{ issuer, subject, username: usernameOf(claims, subject) },
    firstName: textOf(claims.given_name, NAME_CHARS_MAX),
    lastName: textOf(claims.family_name, NAME_CHARS_MAX),
    email: emailOf(claims),
    isStaff: rules.staff === undefined ? undefined : holds(claims, rules.staff),
  };
}

/** Whether the claim equals the value, or is a list that contains it. An absent claim equals nothing. */
function holds(claims: Claims, { claim, value }: ClaimRule): boolean {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (Array.isArray(found)) return found.includes(value);
  return ['string', 'number', 'boolean'].includes(typeof found) && String(found) === value;
}

/** The first candidate that is a valid account name. */
function usernameOf(claims: Claims, subject: string): string {
  const wanted = [claims.preferred_username, claims.email, subject];
  const name = wanted.find((one) => typeof one === 'string' && /^[A-Za-z0-9_.@+-]{1,150}$/.test(one));
  if (name !== undefined) return name as string;
  throw new AppError('FORBIDDEN', 'the provider gives no name that an account could have');
}

function emailOf({ email }: Claims): string {
  const isOne =
    typeof email === 'string' && email.length <= EMAIL_CHARS_MAX && /^[^\s@]+@[^\s@]+$/.test(email);
  return isOne && email.isWellFormed() ? email : '';
}

/** The whole text or nothing; no control characters, which columns may refuse and pages should not show. */
function textOf(value: unknown, charsMax: number): string {
  if (typeof value !== 'string' || value.length > charsMax || !value.isWellFormed()) return '';
  return [...value].every((char) => char >= ' ' && char !== '\u007f') ? value : '';
}
