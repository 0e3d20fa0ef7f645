// Before the first paint, so that a chosen appearance does not flash.
{
  const theme = localStorage.getItem("weft-theme");
  if (theme) document.documentElement.dataset.theme = theme;
}
