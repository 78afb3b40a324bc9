// Colours of the style sheet, for pictures drawn by scripts.
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const dark = matchMedia("(prefers-color-scheme: dark)");
