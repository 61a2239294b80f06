/** The nonce of this page, for libraries that make style elements. Browsers show it to scripts only as a property. */
export const nonce: string | undefined =
  document.querySelector<HTMLMetaElement>('meta[name=live-worker]')?.nonce;
