/** Who an OpenID provider says that somebody is, and what that makes of them here. */
import { AppError } from './errors.ts';

/** A claim that must have, or hold, a value: `groups=millrace-staff`. */
export interface ClaimRule {
  readonly claim: string;
  readonly value: string;
}

export interface IdentityRules {
  /** Who is let in; absent: everybody whom the provider vouches for. */
  readonly allow?: ClaimRule;
  /** Who is staff; absent: the provider has no say in it. */
  readonly staff?: ClaimRule;
}

export interface Identity {
  readonly issuer: string;
  /** The provider's name for them, which never changes. */
  readonly subject: string;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** Undefined: the provider has no say in it. */
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

/** From the claims of a checked ID token. Throws AppError FORBIDDEN for who is not let in, or says too little. */
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

/** The claim is the value, or a list that has it in it. */
function holds(claims: Claims, { claim, value }: ClaimRule): boolean {
  const found = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return Array.isArray(found) ? found.includes(value) : found === value || `${found}` === value;
}

/** The first that is a name for accounts here. */
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

/** Nothing rather than half of it; no control characters, which no column takes or no page should show. */
function textOf(value: unknown, charsMax: number): string {
  if (typeof value !== 'string' || value.length > charsMax || !value.isWellFormed()) return '';
  return [...value].every((char) => char >= ' ' && char !== '\u007f') ? value : '';
}
