CREATE TABLE s(day INT, region TEXT, v REAL); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<300) INSERT INTO s SELECT x/4, char(65 + x%4), (x*37)%101 FROM c;
SELECT day, region, sum(v) OVER (PARTITION BY region ORDER BY day ROWS 3 PRECEDING), rank() OVER (ORDER BY v DESC), lag(v) OVER w FROM s WINDOW w AS (PARTITION BY region ORDER BY day);
SELECT region, total(v), avg(v), group_concat(DISTINCT day) FROM s GROUP BY region; SELECT DISTINCT v FROM s ORDER BY v; SELECT ntile(4) OVER (ORDER BY v) FROM s; 
