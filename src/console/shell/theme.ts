/** The theme: light, dark, or that of the system. It is kept in this browser. */
import { useState } from 'react';

const KEY = 'millrace-theme';
const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

function stored(): Theme {
  return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';
}

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') root.removeAttribute('data-theme');
  else root.setAttribute('data-theme', theme);
}

/** Called before anything is drawn, so that no page flashes in the other theme. */
export function applyStoredTheme(): void {
  apply(stored());
}

export function useTheme(): readonly [Theme, next: () => void] {
  const [theme, setTheme] = useState(stored);
  const next = () => {
    const following = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    localStorage.setItem(KEY, following);
    apply(following);
    setTheme(following);
  };
  return [theme, next];
}
