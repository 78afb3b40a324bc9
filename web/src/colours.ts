// Colours of the style sheet, for pictures that scripts draw.
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const dark = matchMedia("(prefers-color-scheme: dark)");
