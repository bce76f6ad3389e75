const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** 18432 → 18 KB. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${unit === 0 && value === 1 ? 'byte' : units[unit]}`
}
