"""The calendar: what is asked, told and ingested by the clock."""
