/** What a login is made from, and the session that it gives. */
export interface PasswordLogin {
  readonly username: string;
  readonly password: string;
}

/** The request that logs in. */
export interface LoginFrom {
  readonly address: string;
  readonly requestId: string;
  readonly method: string;
  /** As documented. */
  readonly route: string;
  readonly nowMs: number;
}

export interface Session {
  readonly accountId: number;
  readonly username: string;
  /** For the cookie; kept nowhere else. */
  readonly session: string;
  /** What scripts of our pages send along with writes. */
  readonly csrf: string;
  readonly maxAgeS: number;
}
