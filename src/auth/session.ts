/** The data of a login, and the session that results. */
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
  /** For the cookie; stored nowhere else. */
  readonly session: string;
  /** The value that scripts of our pages send with writes. */
  readonly csrf: string;
  readonly maxAgeS: number;
}
